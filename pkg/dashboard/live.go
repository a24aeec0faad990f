package dashboard

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
)

const (
	// shownItems is how many items of the feed the page begins with.
	shownItems = 60
	// feedWait is how long one question to the agent waits for something new, in
	// milliseconds; then the browser is told that the stream is alive.
	feedWait = 20_000
)

// live is the data of the page of the live feed.
type live struct {
	Items   []happened // the newest first
	Last    int64
	Latency plot
}

// happened is an item of the feed with the link to its session, which leads nowhere while that is not known.
type happened struct {
	agentapi.FeedItem
	Link sessionLink
}

func (p *pages) live(ctx context.Context, _ visit) (page, error) {
	result, err := ask(ctx, p.agent, agentapi.MethodFeed, agentapi.FeedParams{})
	if err != nil {
		return page{}, err
	}
	data := live{Last: result.Last, Latency: latencyPlot(result.Items)}
	data.Items, err = p.lately(ctx, result.Items, shownItems, func(agentapi.FeedItem) bool { return true })
	return page{"live", "Live", data}, err
}

// lately are the last items of the feed that are wanted, the newest first.
func (p *pages) lately(ctx context.Context, items []agentapi.FeedItem, most int, wanted func(agentapi.FeedItem) bool) ([]happened, error) {
	names, err := p.sessionNames(ctx, "")
	var all []happened
	for _, item := range slices.Backward(items) {
		if len(all) < most && wanted(item) {
			all = append(all, names.happened(item))
		}
	}
	return all, err
}

func (n sessionNames) happened(item agentapi.FeedItem) happened {
	one := happened{FeedItem: item}
	if item.Session != "" {
		one.Link = n.link(item.Project, item.Session, item.At)
		if n.known[item.Session].ID == "" { // not stored yet, or of a memory that was imported without its session
			one.Link.To = ""
		}
	}
	return one
}

// latencyPlot is a histogram of how long recall took in the agent.
func latencyPlot(items []agentapi.FeedItem) plot {
	bounds := []float64{0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128}
	counts, sum := make([]float64, len(bounds)), 0.0
	for _, item := range items {
		if item.Kind != agentapi.FeedTold {
			continue
		}
		at := slices.IndexFunc(bounds, func(bound float64) bool { return item.TookMS <= bound })
		if at < 0 {
			at = len(bounds) - 1
		}
		counts[at]++
		sum++
	}
	if sum == 0 {
		return plot{}
	}
	across := make([]float64, len(bounds))
	var names []string
	for i, bound := range bounds {
		across[i] = float64(i)
		names = append(names, strconv.FormatFloat(bound, 'g', -1, 64))
	}
	return plot{Title: "How long recall took in the agent", Across: "milliseconds, at the most", Kind: "bars", Names: names, Lines: []string{"answers"}, Values: [][]float64{across, counts}}
}

// events sends the items of the feed as they come, each as the piece of the page that
// shows it. It ends when the browser leaves or the agent ends.
func (p *pages) events(w http.ResponseWriter, r *http.Request) {
	after, err := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	if err != nil {
		after, _ = strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	stream := http.NewResponseController(w)
	names := sessionNames{base: p.guard.base}
	for first := true; r.Context().Err() == nil; first = false {
		wait := feedWait
		if first { // the browser waits for the headers
			wait = 0
		}
		result, err := ask(r.Context(), p.agent, agentapi.MethodFeed, agentapi.FeedParams{After: after, WaitMS: wait})
		if err != nil {
			return
		}
		if slices.ContainsFunc(result.Items, func(item agentapi.FeedItem) bool { return item.Session != "" && names.known[item.Session].ID == "" }) {
			if names, err = p.sessionNames(r.Context(), ""); err != nil {
				return
			}
		}
		var out bytes.Buffer
		for _, item := range result.Items {
			if after = item.Number; p.writeItem(&out, names.happened(item)) != nil {
				return
			}
		}
		out.WriteString(": alive\n\n")
		if _, err := w.Write(out.Bytes()); err != nil || stream.Flush() != nil {
			return
		}
	}
}

func (p *pages) writeItem(out *bytes.Buffer, item happened) error {
	var html bytes.Buffer
	if err := p.views["live"].ExecuteTemplate(&html, "item", item); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "id: %d\ndata: %s\n\n", item.Number, strings.ReplaceAll(strings.TrimSpace(html.String()), "\n", "\ndata: "))
	return err
}
