// Package workload generates events as the capture hooks would have recorded them over three months of work on
// several projects. The same Spec gives the same events. It does not write them.
package workload

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Spec describes the events to generate.
type Spec struct {
	Seed     uint64
	Until    time.Time      // time before which all events are; zero for now
	Measured memory.Project // project that has Memories of all memories
	Memories int            // at most Store
	Store    int            // memories of all projects together
	Others   int            // number of projects that share the other memories; 0 for nine
	// Known are events of the measured project's first session; the generator sets their session, time and place.
	// Their memories count towards Memories.
	Known []memory.Event
	// Facts makes every memory a fact with cues, as a model stores it, instead of a realistic mixture.
	Facts bool
	// Similar gives the memories a few forms of sentences that differ only in numbers.
	Similar bool
	// Revised makes every tenth statement a repetition of an earlier statement in other words, or with another number.
	Revised bool
}

const (
	// others is the default number of projects that share the other memories.
	others = 9
	// past is the time over which the events are spread.
	past = 90 * 24 * time.Hour
)

// Events yields the events that give exactly the wanted number of distinct memories, in order. Sessions of the
// projects follow one another at random. As in real use, repeated actions give one memory.
func Events(spec Spec) iter.Seq[memory.Event] {
	return func(yield func(memory.Event) bool) {
		g := newGenerator(spec)
		for _, e := range g.first(spec.Known) {
			if !yield(e) {
				return
			}
		}
		for open := g.open(); len(open) > 0; open = g.open() {
			for _, e := range g.session(open[g.random.IntN(len(open))]) {
				if !yield(e) {
					return
				}
			}
		}
	}
}

type generator struct {
	random   *rand.Rand
	projects []*project
	known    map[string]bool // ids of the memories so far
	now      time.Time
	step     time.Duration // maximum time between two events
	count    int           // number of events
	spec     Spec
	stated   []rule // rules that later ones may revise
}

type project struct {
	memory.Project
	missing  int // number of memories still to be made
	measured bool
}

func newGenerator(spec Spec) *generator {
	if spec.Until.IsZero() {
		spec.Until = time.Now()
	}
	g := &generator{
		random: rand.New(rand.NewPCG(spec.Seed, 1)), known: map[string]bool{}, spec: spec,
		now: spec.Until.Add(-past),
		// On average step/2 passes between two events. With fewer than two events per memory, all fall within past.
		step: past / time.Duration(max(spec.Store, 1000)),
	}
	g.projects = append(g.projects, &project{Project: spec.Measured, missing: spec.Memories, measured: true})
	rest := spec.Store - spec.Memories
	number := cmp.Or(spec.Others, others)
	for i := range number {
		share := rest / (number - i)
		rest -= share
		g.projects = append(g.projects, &project{Project: Other(i + 1), missing: share})
	}
	return g
}

// Other returns a project beside the measured one. The first has number 1.
func Other(number int) memory.Project {
	name := fmt.Sprintf("service-%d", number)
	return memory.Project{Key: "github.com/example/" + name, Name: name, Root: "/home/dev/" + name}
}

// open returns the projects that do not have all their memories yet.
func (g *generator) open() []*project {
	var open []*project
	for _, p := range g.projects {
		if p.missing > 0 {
			open = append(open, p)
		}
	}
	return open
}

// first returns the measured project's first session.
func (g *generator) first(known []memory.Event) []memory.Event {
	s := g.begin(g.projects[0])
	for _, e := range known {
		s.add(e)
	}
	return s.end()
}

// session returns one session of a project. It ends early when the project has all its memories.
func (g *generator) session(p *project) []memory.Event {
	s := g.begin(p)
	if g.spec.Facts || g.spec.Similar {
		for range 1 + g.random.IntN(20) {
			if p.missing > 0 {
				s.add(g.only())
			}
		}
		return s.end()
	}
	for range 1 + g.random.IntN(4) {
		if p.missing > 0 {
			s.add(g.prompt(p))
		}
		for range 2 + g.random.IntN(6) {
			if p.missing > 0 {
				s.add(g.action())
			}
		}
	}
	return s.end()
}

// session is a session under construction.
type session struct {
	*generator
	project *project
	id      string
	events  []memory.Event
}

func (g *generator) begin(p *project) *session {
	s := &session{generator: g, project: p, id: fmt.Sprintf("%08x-0000-4000-8000-%012x", g.random.Uint32(), g.count)}
	s.add(memory.Event{Kind: memory.EventSessionStarted, Source: "startup"})
	return s
}

func (s *session) add(e memory.Event) {
	e.Session, e.Project, e.Dir = s.id, s.project.Project, s.project.Root
	s.events = append(s.events, s.stamp(e))
	s.tally(s.project, e)
}

func (s *session) end() []memory.Event {
	s.add(memory.Event{Kind: memory.EventSessionEnded, Reason: "other"})
	return s.events
}

func (g *generator) stamp(e memory.Event) memory.Event {
	g.now = g.now.Add(1 + time.Duration(g.random.Int64N(int64(g.step))))
	g.count++
	e.At = g.now.UTC()
	e.ID = fmt.Sprintf("%016x-%012x", uint64(e.At.UnixNano()), g.count)
	return e
}

// tally counts the memories and activities that are new in an event, by the product's own rules.
func (g *generator) tally(p *project, e memory.Event) {
	for _, id := range Shown(e) {
		if !g.known[id] {
			g.known[id] = true
			p.missing--
		}
	}
}

// Shown returns an id for each memory and each activity of an event.
func Shown(e memory.Event) []string {
	ids := Stated(e)
	for _, one := range ingest.Batch([]memory.Event{e}).SessionEvents {
		if one.IsActivity() {
			ids = append(ids, memory.NewID(memory.ScopeProject, e.Project.Key, one.Text))
		}
	}
	return ids
}

// Stated returns the ids of the memories made of an event.
func Stated(e memory.Event) (ids []string) {
	for _, m := range ingest.Batch([]memory.Event{e}).Memories {
		ids = append(ids, m.ID)
	}
	return ids
}

type noTokens struct{}

func (noTokens) Count(string) int { return 0 }
func (noTokens) Encoding() string { return "none" }

// prompt returns a prompt that asks for something; every third also asks to keep something. The measured
// project states no preferences, because a preference would not count as one of its memories.
func (g *generator) prompt(p *project) memory.Event {
	text := fmt.Sprintf("%s the %s of the %s %s", g.pick(wishes), g.pick(qualities), g.pick(areas), g.pick(parts))
	if g.random.IntN(3) == 0 {
		marker := g.pick(markers)
		if !p.measured && g.random.IntN(20) == 0 {
			marker = "preference: "
		}
		text += "\n" + marker + g.rule()
	}
	return memory.Event{Kind: memory.EventPrompt, Prompt: text}
}

// rule returns a sentence that somebody asks to keep. With Spec.Revised every tenth sentence repeats an earlier one with another
// number or verb.
func (g *generator) rule() string {
	r := rule{g.pick(areas), g.pick(parts), g.pick(rules), g.pick(choices), g.pick(choices), g.random.IntN(5000)}
	if g.spec.Revised && len(g.stated) > 0 {
		switch n, earlier := g.random.IntN(20), g.stated[g.random.IntN(len(g.stated))]; n {
		case 0:
			earlier.number, r = r.number, earlier
		case 1:
			earlier.rule, r = r.rule, earlier
		}
	}
	g.stated = append(g.stated, r)
	return r.String()
}

// rule is a statement, in parts.
type rule struct {
	area, part, rule, choice, instead string
	number                            int
}

func (r rule) String() string {
	return fmt.Sprintf("the %s %s %s %s, not %s (see #%d)", r.area, r.part, r.rule, r.choice, r.instead, r.number)
}

// forms are statements that share nearly all words with thousands of others. They are not duplicates, because a number differs.
var forms = []string{
	"the port of service %d is asked of its owner before it changes", "never start `pnpm` from lib/part%d.go",
	"the worker of region x%d answers port 80 after a start",
}

// only returns an event of a workload that is not a realistic mixture (Spec.Facts, Spec.Similar).
func (g *generator) only() memory.Event {
	text := fmt.Sprintf("%s, because the %s of the %s %s must stay below %d", g.rule(), g.pick(qualities), g.pick(areas), g.pick(parts), g.random.IntN(500))
	if g.spec.Similar {
		n := g.random.IntN(10_000_000)
		text = fmt.Sprintf(forms[g.random.IntN(len(forms))], n)
		switch share := g.random.IntN(10); {
		case g.spec.Facts || share >= 4:
		case share < 2:
			return memory.Event{Kind: memory.EventFileChanged, Tool: "Edit", Lines: 1, File: fmt.Sprintf("lib/part%d.go", n), Before: "return nil", After: "return err"}
		default:
			return memory.Event{Kind: memory.EventCommandFailed, Tool: "Bash", Command: fmt.Sprintf("make target-%d", n), Error: "Exit code 2\nmake: no rule"}
		}
	}
	if !g.spec.Facts {
		return memory.Event{Kind: memory.EventPrompt, Prompt: "remember: " + text}
	}
	words := strings.Fields(text)
	return memory.Event{
		Kind: memory.EventRemembered, RememberedKind: memory.KindConvention, Text: text, Weight: 1 + g.random.IntN(3),
		Title: memory.TitleOf(text), Area: fmt.Sprintf("area %d", g.random.IntN(40)),
		Cues: []string{strings.Join(words[:3], " "), strings.Join(words[2:5], " "), strings.Join(words[len(words)-3:], " ")},
	}
}

// action returns a tool call, mostly an edit.
func (g *generator) action() memory.Event {
	switch n := g.random.IntN(20); {
	case n < 10:
		return g.edit()
	case n < 12:
		return g.written()
	case n < 17:
		command := g.command()
		return memory.Event{
			Kind: memory.EventCommandSucceeded, Tool: "Bash", Command: command,
			Output: fmt.Sprintf("ok  \texample.com/%s/%s\t%d.%03ds", g.pick(areas), g.pick(parts), g.random.IntN(30), g.random.IntN(1000)),
		}
	default:
		command := g.command()
		return memory.Event{
			Kind: memory.EventCommandFailed, Tool: "Bash", Command: command,
			Error: fmt.Sprintf("Exit code %d\n=== RUN   Test%s\n    %s_test.go:%d: error: got %d, want %d\nFAIL", 1+g.random.IntN(2),
				title(g.pick(parts)), g.pick(parts), g.random.IntN(400), g.random.IntN(100), g.random.IntN(100)),
		}
	}
}

func (g *generator) edit() memory.Event {
	field, part := g.pick(qualities), title(g.pick(parts))
	return memory.Event{
		Kind: memory.EventFileChanged, Tool: "Edit", File: g.file(), Lines: 1,
		Before: fmt.Sprintf("\t%s := new%s(%d)", field, part, g.random.IntN(500)),
		After:  fmt.Sprintf("\t%s := new%s(%d).with%s()", field, part, g.random.IntN(500), title(g.pick(choices))),
	}
}

func (g *generator) written() memory.Event {
	part := g.pick(parts)
	text := fmt.Sprintf("// Package %s owns the %s of the %s.\npackage %s\n", part, g.pick(qualities), g.pick(areas), part) +
		strings.Repeat("// It refuses to do anything else.\n", 1+g.random.IntN(40))
	return memory.Event{Kind: memory.EventFileChanged, Tool: "Write", File: g.file(), Lines: strings.Count(text, "\n"), After: text}
}

func (g *generator) command() string {
	switch g.random.IntN(4) {
	case 0:
		return "go build ./" + g.pick(areas) + "/..."
	case 1:
		return fmt.Sprintf("go get example.com/%s/%s@v1.%d.%d", g.pick(areas), g.pick(parts), g.random.IntN(40), g.random.IntN(10))
	}
	return fmt.Sprintf("go test ./%s/... -run Test%s%s", g.pick(areas), title(g.pick(parts)), title(g.pick(qualities)))
}

func (g *generator) file() string {
	return fmt.Sprintf("pkg/%s/%s_%s.go", g.pick(areas), g.pick(parts), g.pick(qualities))
}

func (g *generator) pick(words []string) string { return words[g.random.IntN(len(words))] }

func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

var (
	wishes    = []string{"improve", "fix", "rewrite", "explain", "test", "speed up", "document", "simplify"}
	qualities = []string{"timeout", "limit", "order", "encoding", "retry", "cache", "locking", "validation", "paging", "naming", "logging", "cleanup"}
	areas     = []string{"billing", "search", "checkout", "session", "inventory", "export", "mailer", "gateway", "scheduler", "ledger", "catalog", "webhook"}
	parts     = []string{"client", "server", "worker", "parser", "store", "queue", "handler", "router", "index", "report", "migration", "config"}
	rules     = []string{"must use", "should prefer", "now relies on", "is built with", "talks to", "never waits for"}
	choices   = []string{"postgres", "redis", "batches", "streams", "polling", "tokens", "cursors", "checksums", "leases", "snapshots", "tabs", "spaces"}
	markers   = []string{"remember: ", "remember: ", "todo: ", "convention: ", "decision: "}
)
