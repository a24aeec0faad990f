package lived

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Group is the result of the queries of one kind: queries that facts would help, queries for which silence is
// right, or all others.
type Group struct {
	Asked     int
	Answered  int
	Helped    int // queries with a helpful fact injected
	Top       int // queries with a helpful fact in the first five lines
	Gold      int // number of facts that would help
	Injected  int // injected facts among these
	Lines     int
	GoodLines int
	Tokens    []int // tokens of each answer that injects something
}

// Begun is the result of the prompts in sessions that have started, as in real use. A fact is in context if the start or the
// prompt injects it in full, and named if the start or the prompt has its title.
type Begun struct {
	Prompts   int // prompts that a fact would help
	AtStart   int
	InContext int
	AllOfIt   int // every helpful fact is in context
	Named     int // a fact is in context or named
	Plain     int // like Named, with the titles that BM25 finds instead of what the prompt injects

	Silent int // prompts that need nothing
	Broken int // prompts among these with injected lines

	StartTokens []int // exact tokens of each start
	StartLines  []int
	Facts       []int // the project's facts at each prompt
}

// Report has the figures of a folder. The keys of Groups are "prompt gold", "prompt silent", "question gold" and so
// on.
type Report struct {
	Name   string
	Groups map[string]*Group
	Begun  Begun
}

// Result is the result of a measurement of a folder.
type Result struct {
	Report Report
	// Distilled are the results for sessions with recorded answers.
	Distilled []daemonapi.DistillResult
	Took      time.Duration
}

// Settings are the conditions of a measurement.
type Settings struct {
	// Answers is the file with a model's recorded answers. If it is empty no session is distilled.
	Answers string
	// Beside are folders with the recorded answers of other people, whose facts are put into the same project.
	Beside []string
	// Now returns the daemon's clock for the time of a query. nil means the query's own time.
	Now func(time.Time) time.Time
}

// Measure replays the sessions of a folder and asks its queries.
func Measure(ctx context.Context, f *Folder, work string, s Settings) (Result, error) {
	began, at := time.Now(), time.Time{}
	clock := func() time.Time { return at }
	if s.Now != nil {
		clock = func() time.Time { return s.Now(at) }
	}
	h, err := newHome(f, work, clock, s)
	if err != nil {
		return Result{}, err
	}
	m := measurement{Folder: f, quotes: map[string]quoted{}, report: Report{Name: f.Name, Groups: map[string]*Group{}}}
	if h.answers != nil {
		m.carriers, m.titles = h.answers.carriers, h.answers.titles
	}
	for id, fact := range f.Facts {
		m.quotes[id] = newQuoted(fact.Quote)
	}
	for _, q := range f.Queries {
		at = q.Time
		if err := h.liveUntil(ctx, q.Time); err != nil {
			return Result{}, fmt.Errorf("replay the sessions until %s: %w", q.Time, err)
		}
		got, err := h.ask(ctx, q)
		if err != nil {
			return Result{}, fmt.Errorf("ask %s: %w", q.ID, err)
		}
		m.add(q, got)
	}
	at = at.AddDate(1, 0, 0)
	if err := h.liveUntil(ctx, at); err != nil {
		return Result{}, err
	}
	return Result{m.report, h.distilled(), time.Since(began)}, nil
}

type measurement struct {
	*Folder
	quotes map[string]quoted
	// carriers maps a labelled fact to the beginnings of the recorded facts that contain it; titles maps it to their
	// titles.
	carriers, titles map[string][]string
	report           Report
}

func (m *measurement) add(q Query, got injected) {
	gold := m.known(q)
	if len(q.Gold) > 0 && len(gold) == 0 {
		return // asked before the helpful session had ended
	}
	name := q.Kind + " other"
	switch {
	case len(gold) > 0:
		name = q.Kind + " gold"
	case q.Silent:
		name = q.Kind + " silent"
	}
	r := &m.report
	if r.Groups[name] == nil {
		r.Groups[name] = &Group{}
	}
	m.addAlone(r.Groups[name], gold, got.alone)
	if got.begun != nil {
		m.addBegun(&r.Begun, gold, q.Silent, *got.begun)
	}
}

// addAlone adds the answer in a session without a start.
func (m *measurement) addAlone(g *Group, gold []string, text string) {
	lines := linesOf(text)
	helps := make([]bool, len(lines))
	injected, top := 0, false
	for _, id := range gold {
		is := false
		for i, l := range lines {
			if m.has(l, id) {
				is, helps[i] = true, true
				top = top || i < 5
			}
		}
		injected += count(is)
	}
	g.Asked++
	g.Answered += count(len(lines) > 0)
	g.Helped += count(injected > 0)
	g.Top += count(top)
	g.Gold += len(gold)
	g.Injected += injected
	g.Lines += len(lines)
	for _, good := range helps {
		g.GoodLines += count(good)
	}
	if len(lines) > 0 {
		g.Tokens = append(g.Tokens, utf8.RuneCountInString(text)/4) // the estimate of score.py
	}
}

// addBegun adds a prompt in a session that has started.
func (m *measurement) addBegun(b *Begun, gold []string, silent bool, got begun) {
	start, prompt := linesOf(got.start.Text), linesOf(got.prompt)
	b.StartTokens, b.StartLines, b.Facts = append(b.StartTokens, got.start.Tokens), append(b.StartLines, len(start)), append(b.Facts, got.facts)
	if len(gold) == 0 {
		b.Silent += count(silent)
		b.Broken += count(silent && len(prompt) > 0)
		return
	}
	all, baseline := plain(got.start.Text+got.prompt), plain(got.start.Text+got.plain)
	atStart, inContext, named, plainly := 0, 0, 0, 0
	for _, id := range gold {
		isThere := func(l line) bool { return m.has(l, id) }
		isNamed := func(title string) bool { return strings.Contains(all, title) }
		isPlain := func(title string) bool { return strings.Contains(baseline, title) }
		first := slices.ContainsFunc(start, isThere)
		full := first || slices.ContainsFunc(prompt, isThere)
		atStart += count(first)
		inContext += count(full)
		named += count(full || slices.ContainsFunc(m.titles[id], isNamed))
		plainly += count(first || slices.ContainsFunc(m.titles[id], isPlain))
	}
	b.Prompts++
	b.AtStart += count(atStart > 0)
	b.InContext += count(inContext > 0)
	b.AllOfIt += count(inContext == len(gold))
	b.Named += count(named > 0)
	b.Plain += count(plainly > 0)
}

// has reports whether a line contains a labelled fact in full.
func (m *measurement) has(l line, fact string) bool {
	return m.quotes[fact].isIn(l) || isCarried(m.carriers[fact], l)
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Write prints a report in lines as wide as a terminal.
func (r Report) Write(out io.Writer) error {
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
	_, err := fmt.Fprintf(out, "%-34s prompts that got a helpful fact: %s of %d; prompts that need nothing and got something: %s of %d; questions answered: %s of %d; unanswerable questions answered: %s of %d; lines that help: %s; tokens of a prompt: %d\n",
		r.Name, share(p.Top, p.Asked), p.Asked, share(s.Answered, s.Asked), s.Asked, share(q.Top, q.Asked), q.Asked,
		share(u.Answered, u.Asked), u.Asked, share(p.GoodLines, p.Lines), median(tokens))
	if err == nil && start.Asked > 0 {
		_, err = fmt.Fprintf(out, "%-34s start: gold facts injected %s, helped %s of %d, tokens %d, lines that help %s\n",
			"", share(start.Injected, start.Gold), share(start.Helped, start.Asked), start.Asked, median(start.Tokens), share(start.GoodLines, start.Lines))
	}
	return err
}

// WriteBegun prints a table of the prompts in started sessions, one row per report.
func WriteBegun(out io.Writer, reports []Report) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, err := fmt.Fprintln(table, "each session begun first\tat the start %\tin context %\tall of it %\tor by title %\tby BM25's five titles %\tprompts that needed nothing and got something %\tfacts\tstart tokens (most)\tstart lines")
	for _, r := range reports {
		b, most := r.Begun, 0
		for _, n := range b.StartTokens {
			most = max(most, n)
		}
		_, e := fmt.Fprintf(table, "%s\t%s\t%s of %d\t%s\t%s\t%s\t%s of %d\t%d\t%d (%d)\t%d\n", r.Name,
			share(b.AtStart, b.Prompts), share(b.InContext, b.Prompts), b.Prompts, share(b.AllOfIt, b.Prompts), share(b.Named, b.Prompts), share(b.Plain, b.Prompts),
			share(b.Broken, b.Silent), b.Silent, median(b.Facts), median(b.StartTokens), most, median(b.StartLines))
		err = errors.Join(err, e)
	}
	return errors.Join(err, table.Flush())
}

// share returns n of all as a percentage, or "-" if there are none.
func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*float64(n)/float64(of))
}

func median(values []int) int {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}
