package lived

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// everything says that anything may have changed.
var everything = intake.Committed{All: true}

// Group is the result of the queries of one kind: those that facts would help, those
// where silence is right, or the others.
type Group struct {
	Asked     int   `json:"asked"`
	Answered  int   `json:"answered"`
	Helped    int   `json:"helped"` // a fact that helps was told
	Top       int   `json:"top"`    // in the first five lines
	Gold      int   `json:"gold"`   // facts that would help
	Told      int   `json:"told"`   // of these
	Lines     int   `json:"lines"`
	GoodLines int   `json:"good_lines"`
	Tokens    []int `json:"tokens"` // of the answers that are none of silence
}

// Report holds the figures of one variant on a folder. Groups are "prompt gold", "prompt
// silent", "question gold" and so on.
type Report struct {
	Name   string
	Groups map[string]*Group
}

// Kept counts the memories of a folder in the end.
type Kept struct {
	Memories, Offered, OfferedTrue int // memories; those offered to recall; of these, those that carry a fact
	Worth2, Worth2Kept             int // facts of worth 2
}

// Result holds the figures of a folder.
type Result struct {
	Reports []Report
	Kept    Kept
	// Distilled are the results of the sessions of which a model's answers are recorded.
	Distilled []agentapi.DistillResult
	Took      time.Duration
}

// Show receives each query that has gold, and the first variant's answer.
type Show func(q Query, wanted []Fact, answer []string, helps []bool)

// Measure lives the sessions of a folder and asks its queries of each variant. now is the
// clock of the agent, given the time of the query; nil: the query's own time. The
// memories of the rule without are not kept; the zero Rule leaves nothing out. answered
// is a file with a model's recorded answers, see answers; empty: none is asked.
func Measure(ctx context.Context, f *Folder, work string, variants []Variant, without Rule, answered string, now func(time.Time) time.Time, show Show) (Result, error) {
	begun, at := time.Now(), time.Time{}
	clock := func() time.Time { return at }
	if now != nil {
		clock = func() time.Time { return now(at) }
	}
	h, err := newHome(f, work, clock, variants, without, answered)
	if err != nil {
		return Result{}, err
	}
	m := measurement{Folder: f, quotes: map[string]quoted{}, show: show}
	if h.answers != nil {
		m.carriers = h.answers.carriers
	}
	for id, fact := range f.Facts {
		m.quotes[id] = newQuoted(fact.Quote)
	}
	for _, v := range variants {
		m.reports = append(m.reports, Report{Name: v.Name, Groups: map[string]*Group{}})
	}
	for _, q := range f.Queries {
		at = q.Time
		if err := h.liveUntil(ctx, q.Time); err != nil {
			return Result{}, fmt.Errorf("live until %s: %w", q.Time, err)
		}
		for i, b := range h.briefings {
			text, err := h.ask(ctx, b, q)
			if err != nil {
				return Result{}, fmt.Errorf("ask %s: %w", q.ID, err)
			}
			m.add(i, q, text)
		}
	}
	at = at.AddDate(1, 0, 0)
	if err := h.liveUntil(ctx, at); err != nil {
		return Result{}, err
	}
	kept, err := m.kept(ctx, h)
	return Result{m.reports, kept, h.distilled(), time.Since(begun)}, err
}

type measurement struct {
	*Folder
	quotes map[string]quoted
	// carriers are the texts of a model's recorded facts that carry a labelled one.
	carriers map[string][]string
	reports  []Report
	show     Show
}

func (m *measurement) add(variant int, q Query, text string) {
	gold := m.known(q)
	if len(q.Gold) > 0 && len(gold) == 0 {
		return // asked before the session that would help had ended
	}
	name := q.Kind + " other"
	switch {
	case len(gold) > 0:
		name = q.Kind + " gold"
	case q.Silent:
		name = q.Kind + " silent"
	}
	g := m.reports[variant].Groups[name]
	if g == nil {
		g = &Group{}
		m.reports[variant].Groups[name] = g
	}
	lines := linesOf(text)
	helps := make([]bool, len(lines))
	told, top := 0, false
	for _, id := range gold {
		is := false
		for i, l := range lines {
			if m.quotes[id].isTold(l) || isCarried(m.carriers[id], l) {
				is, helps[i] = true, true
				top = top || i < 5
			}
		}
		told += count(is)
	}
	g.Asked++
	g.Answered += count(len(lines) > 0)
	g.Helped += count(told > 0)
	g.Top += count(top)
	g.Gold += len(gold)
	g.Told += told
	g.Lines += len(lines)
	for _, good := range helps {
		g.GoodLines += count(good)
	}
	if len(lines) > 0 {
		g.Tokens = append(g.Tokens, len(text)/4)
	}
	if m.show != nil && variant == 0 {
		var wanted []Fact
		for _, id := range gold {
			wanted = append(wanted, m.Facts[id])
		}
		m.show(q, wanted, answerLines(text), helps)
	}
}

func answerLines(text string) []string {
	var lines []string
	for l := range strings.Lines(text) {
		if len(linesOf(l)) > 0 {
			lines = append(lines, strings.TrimSpace(l))
		}
	}
	return lines
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// kept looks for the facts in the store's memories in the end.
func (m *measurement) kept(ctx context.Context, h *home) (Kept, error) {
	var kept Kept
	has := map[string]bool{}
	for after := ""; ; {
		page, err := h.store.Export(ctx, memory.ExportQuery{Section: memory.SectionMemory, After: after})
		if err != nil {
			return kept, err
		}
		for _, one := range page.Memories {
			kept.Memories++
			l, carries := newQuoted(one.Content+" "+one.Detail), false
			for id, quote := range m.quotes {
				if quote.isTold(l) || isCarried(m.carriers[id], l) {
					has[id], carries = true, true
				}
			}
			if one.Recallable() {
				kept.Offered++
				kept.OfferedTrue += count(carries)
			}
		}
		if after = page.Next; after == "" {
			break
		}
	}
	for id, fact := range m.Facts {
		if fact.Worth == 2 {
			kept.Worth2++
			kept.Worth2Kept += count(has[id])
		}
	}
	return kept, nil
}

// Write prints a report in lines as wide as a terminal.
func (r Report) Write(out io.Writer) error {
	share := func(n, of int) string {
		if of == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f", 100*float64(n)/float64(of))
	}
	group := func(name string) *Group {
		if g := r.Groups[name]; g != nil {
			return g
		}
		return &Group{}
	}
	p, s, q, u, start := group("prompt gold"), group("prompt silent"), group("question gold"), group("question silent"), group("start gold")
	var tokens []int
	for name, g := range r.Groups {
		if strings.HasPrefix(name, "prompt") {
			tokens = append(tokens, g.Tokens...)
		}
	}
	_, err := fmt.Fprintf(out, "%-34s prompts helped %s of %d  silence broken %s of %d  questions helped %s of %d  unanswerable answered %s of %d  lines that help %s  tokens of a prompt %d\n",
		r.Name, share(p.Top, p.Asked), p.Asked, share(s.Answered, s.Asked), s.Asked, share(q.Top, q.Asked), q.Asked,
		share(u.Answered, u.Asked), u.Asked, share(p.GoodLines, p.Lines), median(tokens))
	if err == nil && start.Asked > 0 {
		_, err = fmt.Fprintf(out, "%-34s start: gold told %s, helped %s of %d, tokens %d, lines that help %s\n",
			"", share(start.Told, start.Gold), share(start.Helped, start.Asked), start.Asked, median(start.Tokens), share(start.GoodLines, start.Lines))
	}
	return err
}

// Write prints the counts.
func (k Kept) Write(out io.Writer) error {
	_, err := fmt.Fprintf(out, "kept: %d memories, %d offered of which %.1f %% carry a fact; facts of worth 2: %d of %d\n",
		k.Memories, k.Offered, 100*float64(k.OfferedTrue)/float64(max(k.Offered, 1)), k.Worth2Kept, k.Worth2)
	return err
}

func median(values []int) int {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// AsItIs is the ranking with the weights that are shipped.
func AsItIs() Variant { return Variant{"as it is", recall.DefaultWeights()} }
