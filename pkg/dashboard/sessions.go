package dashboard

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const listedSessions = 30

// sessions is the data of the timeline.
type sessions struct{ Days []sessionDay }

// sessionDay is the sessions of one day.
type sessionDay struct {
	Title    string
	Sessions []listedSession
}

// listedSession is a session with the first words of its summary or prompt.
type listedSession struct {
	memory.Session
	First string
}

func (p *pages) sessions(v *visit) page {
	return page{"sessions", "Timeline", sessions{byDay(p.listed(v, listedSessions), p.Now())}}
}

// byDay puts sessions, the newest first, below the days on which they started.
func byDay(all []listedSession, now time.Time) (days []sessionDay) {
	for _, one := range all {
		title := dayTitle(one.StartedAt, now)
		if len(days) == 0 || days[len(days)-1].Title != title {
			days = append(days, sessionDay{Title: title})
		}
		last := &days[len(days)-1]
		last.Sessions = append(last.Sessions, one)
	}
	return days
}

// dayTitle is the day of a time as people name it on another day.
func dayTitle(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	of := func(t time.Time) string { return t.Format(time.DateOnly) }
	switch {
	case at.IsZero():
		return "On an unknown day"
	case of(at) == of(now):
		return "Today"
	case of(at) == of(now.AddDate(0, 0, -1)):
		return "Yesterday"
	case at.Year() == now.Year():
		return at.Format("Monday, 2 January")
	}
	return at.Format("Monday, 2 January 2006")
}

// listed are the newest sessions of the project, with their first words.
func (p *pages) listed(v *visit, most int) (all []listedSession) {
	for _, one := range ask(v, agentapi.MethodSessions, agentapi.SessionsParams{Project: v.project, Limit: most}) {
		listed := listedSession{Session: one, First: saidFirst(one)}
		if listed.First == "" && one.PromptCount > 0 {
			listed.First = firstPrompt(ask(v, agentapi.MethodSession, one.ID))
		}
		all = append(all, listed)
	}
	return all
}

// session is the data of one session: all its events, in their order.
type session struct {
	memory.Session
	First   string // its first words
	Moments []moment
	Left    int
}

// moment is something that happened in a session.
type moment struct {
	At   time.Time
	Kind string // prompt, the kind of a memory or of a session event
	Text string
	ID   string // of the memory, if it is one
}

const shownMoments = 400

func (p *pages) session(v *visit) page {
	record := ask(v, agentapi.MethodSession, v.PathValue("session"))
	data := session{Session: record.Session, First: cmp.Or(saidFirst(record.Session), firstPrompt(record))}
	for _, one := range record.Prompts {
		data.Moments = append(data.Moments, moment{At: one.At, Kind: "prompt", Text: one.Text})
	}
	for _, seen := range record.Seen {
		data.Moments = append(data.Moments, moment{seen.At, string(seen.Memory.Kind), seen.Memory.Content, seen.Memory.ID})
	}
	for _, e := range record.SessionEvents {
		data.Moments = append(data.Moments, moment{At: e.At, Kind: string(e.Kind), Text: e.Text})
	}
	slices.SortStableFunc(data.Moments, func(x, y moment) int { return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Kind, y.Kind)) })
	data.Left = max(0, len(data.Moments)-shownMoments)
	data.Moments = data.Moments[data.Left:]
	return page{"session", "A session", data}
}

// sessionLink leads to a session, by its day and its first words.
type sessionLink struct{ To, Text string }

// sessionNames has the titles of links to sessions, by the sessions' ids.
type sessionNames struct {
	base  string // the path that all pages are below
	known map[string]memory.Session
	first func(id string) string // the first words of a session without a summary
}

const (
	// namedSessions bounds the sessions whose first words links have; an older one has its day.
	namedSessions = 100
	firstWords    = 60 // bytes
)

// sessionNames reads the names of the last sessions of a project, or of all without a key.
func (p *pages) sessionNames(v *visit, project string) sessionNames {
	prompts := map[string]string{}
	names := sessionNames{base: p.guard.base, known: map[string]memory.Session{}, first: func(id string) string {
		if _, isKnown := prompts[id]; !isKnown {
			record, _ := agentapi.MethodSession.Ask(v.Context(), v.agent.Ask, id) // a link without words leads there, too
			prompts[id] = firstPrompt(record)
		}
		return prompts[id]
	}}
	for _, one := range ask(v, agentapi.MethodSessions, agentapi.SessionsParams{Project: project, Limit: namedSessions}) {
		names.known[one.ID] = one
	}
	return names
}

// link is the link to a session in which something happened at a time.
func (n sessionNames) link(project, id string, at time.Time) sessionLink {
	to := n.base + "/sessions/" + url.PathEscape(id)
	if project != "" {
		to += "?" + url.Values{"project": {project}}.Encode()
	}
	words := "session " + shortSession(id)
	if s, isKnown := n.known[id]; isKnown {
		said := saidFirst(s)
		if said == "" && s.PromptCount > 0 {
			said = n.first(id)
		}
		words = cmp.Or(said, words)
		if !s.StartedAt.IsZero() {
			at = s.StartedAt
		}
	}
	text := memory.CutWords(memory.OneLine(defuse.Visible(words)), firstWords)
	if !at.IsZero() {
		text = at.Local().Format("2 Jan 15:04") + ", " + text
	}
	return sessionLink{to, text}
}

// saidFirst is the request of a session, or else its summary without the day.
func saidFirst(s memory.Session) string {
	if s.Summary.Digest.Request != "" {
		return s.Summary.Digest.Request
	}
	text := s.Summary.Text
	if _, words, found := strings.Cut(text, " UTC: "); found {
		text = words
	}
	return text
}

// firstPrompt is the first prompt of a session, or "".
func firstPrompt(record memory.SessionRecord) string {
	if len(record.Prompts) == 0 {
		return ""
	}
	return record.Prompts[0].Text
}

// sessionDigits is how much of a session's id is shown.
const sessionDigits = 8

func shortSession(id string) string { return id[:min(len(id), sessionDigits)] }

const (
	// shownItems is how many items of the feed the page begins with.
	shownItems = 60
	// feedWait is how long one question to the agent waits for something new, in
	// milliseconds; then the browser is told that the stream is alive.
	feedWait = 20_000
)

// live is the data of the page of the live feed.
type live struct {
	Items   []liveItem // the newest first
	Last    int64
	Latency plot
}

// liveItem is an item of the feed with the link to its session, which leads nowhere while that is not known.
type liveItem struct {
	agentapi.FeedItem
	Link sessionLink
}

func (p *pages) live(v *visit) page {
	feed := ask(v, agentapi.MethodFeed, agentapi.FeedParams{})
	items := p.lately(v, feed.Items, shownItems, func(agentapi.FeedItem) bool { return true })
	return page{"live", "Live", live{Items: items, Last: feed.Last, Latency: latencyPlot(feed.Items)}}
}

// lately are the last items of the feed that are wanted, the newest first.
func (p *pages) lately(v *visit, items []agentapi.FeedItem, most int, wanted func(agentapi.FeedItem) bool) []liveItem {
	names := p.sessionNames(v, "")
	var all []liveItem
	for _, item := range slices.Backward(items) {
		if len(all) < most && wanted(item) {
			all = append(all, names.happened(item))
		}
	}
	return all
}

func (n sessionNames) happened(item agentapi.FeedItem) liveItem {
	one := liveItem{FeedItem: item}
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
		if item.Kind != agentapi.FeedInjected {
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
	return plot{
		Title: "How long recall took in the agent", Across: "milliseconds, at the most", Kind: "bars",
		Names: names, Lines: []string{"answers"}, Values: [][]float64{across, counts},
	}
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
	v := &visit{Request: r, agent: p.Agent}
	names := sessionNames{base: p.guard.base}
	for wait := 0; r.Context().Err() == nil; wait = feedWait { // at first the browser waits for the headers
		feed := ask(v, agentapi.MethodFeed, agentapi.FeedParams{After: after, WaitMS: wait})
		if slices.ContainsFunc(feed.Items, func(item agentapi.FeedItem) bool {
			return item.Session != "" &&
				names.known[item.Session].ID == ""
		}) {
			names = p.sessionNames(v, "")
		}
		if v.err != nil {
			return
		}
		var out bytes.Buffer
		for _, item := range feed.Items {
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

func (p *pages) writeItem(out *bytes.Buffer, item liveItem) error {
	var html bytes.Buffer
	if err := p.views["live"].ExecuteTemplate(&html, "item", item); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "id: %d\ndata: %s\n\n", item.Number,
		strings.ReplaceAll(strings.TrimSpace(html.String()), "\n", "\ndata: "))
	return err
}
