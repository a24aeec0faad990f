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

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/facts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
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

// Begun is the result of the prompts whose sessions begin first, as in life. A fact is in
// context where it is in full in the start or with the prompt, and named where its title
// is in one of them.
type Begun struct {
	Prompts   int `json:"prompts"` // that a fact would help
	AtStart   int `json:"at_start"`
	InContext int `json:"in_context"`
	AllOfIt   int `json:"all_of_it"` // each fact that would help is in context
	Named     int `json:"named"`     // a fact is in context, or named

	Silent int `json:"silent"` // prompts that need nothing
	Broken int `json:"broken"` // of these, with lines injected

	StartTokens []int `json:"start_tokens"` // by the tokenizer, of all prompts
	StartLines  []int `json:"start_lines"`
}

// Report holds the figures of one variant on a folder. Groups are "prompt gold", "prompt
// silent", "question gold" and so on.
type Report struct {
	Name   string
	Groups map[string]*Group
	Begun  Begun
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

// Settings are the conditions of a measurement.
type Settings struct {
	Variants []Variant
	// Without is the rule whose memories are not kept; the zero Rule leaves nothing out.
	Without Rule
	// Answers is the file of a model's recorded answers; empty: no session is distilled.
	Answers string
	// StartTokens and PromptTokens are the budgets of a start and of a prompt; 0: those
	// that are shipped.
	StartTokens, PromptTokens int
	// Now is the agent's clock, given the time of the query; nil: the query's own time.
	Now func(time.Time) time.Time
	// Asked receives each query and its answer by the first variant; nil: nothing does.
	Asked func(Answer) error
}

// Answer is the text that was injected for a query.
type Answer struct {
	Query
	Wanted []Fact // that would help, of those that were there
	Lines  []string
	Helps  []bool // for each line
	// Start and AtPrompt are the texts of a prompt whose session began first; of other
	// queries AtPrompt is the text that was injected.
	Start, AtPrompt string
}

// Measure lives the sessions of a folder and asks its queries of each variant.
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
	m := measurement{Folder: f, quotes: map[string]quoted{}, asked: s.Asked}
	if h.answers != nil {
		m.carriers, m.titles = h.answers.carriers, h.answers.titles
	}
	for id, fact := range f.Facts {
		m.quotes[id] = newQuoted(fact.Quote)
	}
	for _, v := range s.Variants {
		m.reports = append(m.reports, Report{Name: v.Name, Groups: map[string]*Group{}})
	}
	for _, q := range f.Queries {
		at = q.Time
		if err := h.liveUntil(ctx, q.Time); err != nil {
			return Result{}, fmt.Errorf("live until %s: %w", q.Time, err)
		}
		for i, b := range h.briefings {
			got, err := h.ask(ctx, b, q)
			if err == nil {
				err = m.add(i, q, got)
			}
			if err != nil {
				return Result{}, fmt.Errorf("ask %s: %w", q.ID, err)
			}
		}
	}
	at = at.AddDate(1, 0, 0)
	if err := h.liveUntil(ctx, at); err != nil {
		return Result{}, err
	}
	kept, err := m.kept(ctx, h)
	return Result{m.reports, kept, h.distilled(), time.Since(began)}, err
}

type measurement struct {
	*Folder
	quotes map[string]quoted
	// carriers are the texts of a model's recorded facts that carry a labelled one, titles
	// the titles of these.
	carriers, titles map[string][]string
	reports          []Report
	asked            func(Answer) error
}

func (m *measurement) add(variant int, q Query, got injected) error {
	gold := m.known(q)
	if len(q.Gold) > 0 && len(gold) == 0 {
		return nil // asked before the session that would help had ended
	}
	name := q.Kind + " other"
	switch {
	case len(gold) > 0:
		name = q.Kind + " gold"
	case q.Silent:
		name = q.Kind + " silent"
	}
	r := &m.reports[variant]
	if r.Groups[name] == nil {
		r.Groups[name] = &Group{}
	}
	helps := m.addAlone(r.Groups[name], gold, got.alone)
	if got.begun != nil {
		m.addBegun(&r.Begun, gold, q.Silent, *got.begun)
	}
	if m.asked == nil || variant > 0 {
		return nil
	}
	a := Answer{Query: q, Lines: answerLines(got.alone), Helps: helps, AtPrompt: got.alone}
	if got.begun != nil {
		a.Start, a.AtPrompt = got.begun.start.Text, got.begun.prompt
	}
	for _, id := range gold {
		a.Wanted = append(a.Wanted, m.Facts[id])
	}
	return m.asked(a)
}

// addAlone adds an answer that was asked alone, and returns which of its lines help.
func (m *measurement) addAlone(g *Group, gold []string, text string) (helps []bool) {
	lines := linesOf(text)
	helps = make([]bool, len(lines))
	told, top := 0, false
	for _, id := range gold {
		is := false
		for i, l := range lines {
			if m.has(l, id) {
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
		g.Tokens = append(g.Tokens, utf8.RuneCountInString(text)/4) // as score.py estimates them
	}
	return helps
}

// addBegun adds a prompt whose session began first.
func (m *measurement) addBegun(b *Begun, gold []string, silent bool, got begun) {
	start, prompt := linesOf(got.start.Text), linesOf(got.prompt)
	b.StartTokens, b.StartLines = append(b.StartTokens, got.start.Tokens), append(b.StartLines, len(start))
	if len(gold) == 0 {
		b.Silent += count(silent)
		b.Broken += count(silent && len(prompt) > 0)
		return
	}
	all := plain(got.start.Text + got.prompt)
	atStart, inContext, named := 0, 0, 0
	for _, id := range gold {
		isThere := func(l line) bool { return m.has(l, id) }
		isNamed := func(title string) bool { return strings.Contains(all, title) }
		first := slices.ContainsFunc(start, isThere)
		full := first || slices.ContainsFunc(prompt, isThere)
		atStart += count(first)
		inContext += count(full)
		named += count(full || slices.ContainsFunc(m.titles[id], isNamed))
	}
	b.Prompts++
	b.AtStart += count(atStart > 0)
	b.InContext += count(inContext > 0)
	b.AllOfIt += count(inContext == len(gold))
	b.Named += count(named > 0)
}

// has says whether a line has a labelled fact in full.
func (m *measurement) has(l line, fact string) bool {
	return m.quotes[fact].isTold(l) || isCarried(m.carriers[fact], l)
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
			for id := range m.quotes {
				if m.has(l, id) {
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

// WriteBegun prints one table of the prompts whose sessions began first, a row for each
// report.
func WriteBegun(out io.Writer, reports []Report) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, err := fmt.Fprintln(table, "each session begun first\tat the start %\tin context %\tall of it %\tor by title %\tsilences broken %\tstart tokens (most)\tstart lines")
	for _, r := range reports {
		b, most := r.Begun, 0
		for _, n := range b.StartTokens {
			most = max(most, n)
		}
		_, e := fmt.Fprintf(table, "%s\t%s\t%s of %d\t%s\t%s\t%s of %d\t%d (%d)\t%d\n", r.Name,
			share(b.AtStart, b.Prompts), share(b.InContext, b.Prompts), b.Prompts, share(b.AllOfIt, b.Prompts), share(b.Named, b.Prompts),
			share(b.Broken, b.Silent), b.Silent, median(b.StartTokens), most, median(b.StartLines))
		err = errors.Join(err, e)
	}
	return errors.Join(err, table.Flush())
}

// share is n of all in per cent.
func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*float64(n)/float64(of))
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
func AsItIs() Variant { return Variant{"as it is", facts.DefaultWeights()} }
