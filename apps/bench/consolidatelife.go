package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

const (
	// lifeSpan is the time that the memories of a store were learned in.
	lifeSpan = 90 * 24 * time.Hour
	// busyProjects is how many projects are worked on before an incremental run.
	busyProjects = 5
	// eventsPerSession is how many things happen in a session on average.
	eventsPerSession = 15
	// lifeBatch is how many events are ingested in one transaction.
	lifeBatch = 100
	// filesOfProject is how many files are edited in a project.
	filesOfProject = 300
)

// life makes up the days of a person on several projects, as the events that hooks
// capture, so that the product itself makes the store's rows of them. Of the memories 35
// % are edits, 30 % successful commands, 10 % failures, 25 % statements: notes,
// decisions, conventions, todos, preferences, findings. Every twentieth statement repeats
// an earlier one in other words, and every twentieth corrects a number.
type life struct {
	random   *rand.Rand
	words    vocabulary
	counter  tokens.Counter
	projects []*livedProject
	now      time.Time
	known    map[string]bool // ids of memories
	events   int
	said     []memory.Memory // the statements, for uses
	isAlike  bool            // all that happens has one of a few forms
}

// ingester receives the events.
type ingester interface {
	Ingest(ctx context.Context, b memory.Batch) error
}

type livedProject struct {
	memory.Project
	sessions int
	past     []memory.Event // some of the events
	texts    []memory.Event // some of the statements
}

func newLife(seed uint64, projects int, counter tokens.Counter, until time.Time) *life {
	l := &life{
		random: rand.New(rand.NewPCG(seed, 3)), words: newVocabulary(seed), counter: counter,
		now: until.Add(-lifeSpan), known: map[string]bool{},
	}
	for i := range projects {
		name := fmt.Sprintf("service-%02d", i)
		l.projects = append(l.projects, &livedProject{Project: memory.Project{
			Key: "github.com/example/" + name, Name: name, Root: "/home/dev/" + name,
		}})
	}
	return l
}

// fill ingests sessions of all projects until there are n memories.
func (l *life) fill(ctx context.Context, store ingester, n int) error {
	step := lifeSpan / time.Duration(2*n) // there are less than two events for each memory
	var waiting []memory.Event
	for len(l.known) < n {
		p := l.projects[l.random.IntN(len(l.projects))]
		waiting = append(waiting, l.session(p, n, step)...)
		if len(waiting) >= lifeBatch || len(l.known) >= n {
			if _, err := l.ingest(ctx, store, waiting, nil); err != nil {
				return fmt.Errorf("fill the store: %w", err)
			}
			waiting = nil
		}
	}
	return nil
}

func (l *life) ingest(ctx context.Context, store ingester, events []memory.Event, uses []memory.Use) (memory.Batch, error) {
	batch := ingest.Batch(events, l.counter)
	batch.Uses = uses
	return batch, store.Ingest(ctx, batch)
}

// session is a session of a project, cut short when there are n memories.
func (l *life) session(p *livedProject, n int, step time.Duration) []memory.Event {
	p.sessions++
	id := fmt.Sprintf("%08x-0000-4000-8000-%012x", l.random.Uint32(), l.events)
	var events []memory.Event
	add := func(e memory.Event) {
		l.events++
		l.now = l.now.Add(1 + time.Duration(l.random.Int64N(int64(2*step))))
		e.ID, e.At = fmt.Sprintf("%016x-%012x", uint64(l.now.UnixNano()), l.events), l.now.UTC()
		e.Session, e.Project, e.Dir = id, p.Project, p.Root
		events = append(events, e)
		for _, m := range ingest.Batch([]memory.Event{e}, uncounted{}).Memories {
			l.learn(p, e, m)
		}
	}
	add(memory.Event{Kind: memory.EventSessionStarted, Source: "startup"})
	for range 1 + l.random.IntN(2*eventsPerSession) {
		if len(l.known) < n {
			add(l.happening(p))
		}
	}
	add(memory.Event{Kind: memory.EventSessionEnded, Reason: "other"})
	return events
}

func (l *life) learn(p *livedProject, e memory.Event, m memory.Memory) {
	if l.known[m.ID] {
		return
	}
	l.known[m.ID] = true
	p.past = append(p.past, e)
	if e.Kind == memory.EventRemembered {
		p.texts = append(p.texts, e)
		l.said = append(l.said, m)
	}
}

// uncounted spares the counting of rows that are only looked at.
type uncounted struct{}

func (uncounted) Count(string) int { return 0 }
func (uncounted) Encoding() string { return "none" }

// alikeForms are statements of which each has nearly the words of thousands of others, and none is their duplicate: names,
// words, or a name and a value differ.
var alikeForms = []string{"never start `pnpm` from lib/part%d.go", "the worker of region x%d answers port 80 after a start", "the `svc-%d` listens on port 6543"}

// alike is something that differs from what happened before in a number only: of ten events six are statements, two
// failures and two edits.
func (l *life) alike() memory.Event {
	n := l.random.IntN(10_000_000)
	switch share := l.random.IntN(10); {
	case share < 2:
		return memory.Event{Kind: memory.EventFileChanged, Tool: "Edit", Lines: 1, File: fmt.Sprintf("lib/part%d.go", n), Before: "return nil", After: "return err"}
	case share < 4:
		return memory.Event{Kind: memory.EventCommandFailed, Tool: "Bash", Command: fmt.Sprintf("make target-%d", n), Purpose: "build", Error: "Exit code 2\nmake: no rule"}
	}
	return memory.Event{
		Kind: memory.EventRemembered, RememberedKind: memory.KindConvention, ByUser: l.random.IntN(5) == 0,
		Text: fmt.Sprintf(alikeForms[l.random.IntN(len(alikeForms))], n),
	}
}

func (l *life) happening(p *livedProject) memory.Event {
	if l.isAlike {
		return l.alike()
	}
	switch share := l.random.IntN(100); {
	case share < 35:
		return l.edit()
	case share < 65:
		return memory.Event{
			Kind: memory.EventCommandSucceeded, Tool: "Bash", Command: l.command(), Purpose: "test",
			Output: "ok  \texample.com/" + l.words.text(1) + "\t0.3s\n" + l.words.text(20),
		}
	case share < 75:
		// Commands that fail do so more than once.
		return memory.Event{
			Kind: memory.EventCommandFailed, Tool: "Bash", Command: fmt.Sprintf("go test ./pkg/%s/...", word(uint64(l.random.IntN(150)))), Purpose: "test",
			Error: fmt.Sprintf("Exit code 1\n=== RUN   Test%s\n    x_test.go:%d: error: got %d, want %d: %s\nFAIL",
				word(uint64(l.random.IntN(500))), l.random.IntN(400), l.random.IntN(1000), l.random.IntN(1000), l.words.text(6)),
		}
	}
	return l.saying(p)
}

func (l *life) edit() memory.Event {
	return memory.Event{
		Kind: memory.EventFileChanged, Tool: "Edit", Lines: 1, File: fileNamed(l.random.IntN(filesOfProject)),
		Before: l.words.text(5), After: l.words.text(7),
	}
}

func (l *life) command() string {
	return fmt.Sprintf("go test ./pkg/%s/... -run Test%s", word(uint64(l.random.IntN(40))), word(l.random.Uint64N(1<<20)))
}

func (l *life) saying(p *livedProject) memory.Event {
	e := memory.Event{Kind: memory.EventRemembered, ByUser: l.random.IntN(5) == 0}
	switch share := l.random.IntN(100); {
	case share < 40:
		e.RememberedKind = memory.KindNote
	case share < 50:
		e.RememberedKind = memory.KindDecision
	case share < 60:
		e.RememberedKind = memory.KindConvention
	case share < 70:
		e.RememberedKind = memory.KindTodo
	case share < 72:
		e.RememberedKind = memory.KindPreference
	default:
		e.RememberedKind = memory.KindDiscovery
	}
	e.Text = fmt.Sprintf("%s port %d", l.words.text(12+l.random.IntN(8)), l.random.IntN(10_000))
	if len(p.texts) == 0 {
		return e
	}
	earlier := p.texts[l.random.IntN(len(p.texts))]
	text, number, _ := strings.Cut(earlier.Text, " port ")
	switch l.random.IntN(20) {
	case 0: // reworded
		words := strings.Fields(text)
		words[l.random.IntN(len(words))] = l.words.text(1)
		earlier.Text = strings.Join(words, " ") + " port " + number
	case 1: // corrected
		earlier.Text = fmt.Sprintf("%s port %d", text, l.random.IntN(10_000))
	default:
		return e
	}
	return earlier
}

// change lets n memories change: of ten, seven are new, two are seen again and one
// is used, all in sessions of some of the projects that have just ended.
func (l *life) change(ctx context.Context, store ingester, n int) error {
	l.now = time.Now().Add(-time.Hour)
	step := time.Hour / time.Duration(4*n)
	busy := l.projects[:busyProjects]
	begun, learned := len(l.known), n-n*2/10-n/10
	changed, mayBeUsed := map[string]bool{}, map[string]bool{}
	for _, p := range busy {
		mayBeUsed[p.Key] = true
	}
	var last string
	for i := 0; len(l.known) < begun+learned || len(changed) < n-n/10; i++ {
		p := busy[i%len(busy)]
		again := l.again(p, n*2/10-(len(changed)-(len(l.known)-begun)))
		events := l.session(p, begun+learned, step)
		for j := range again {
			again[j].Session, again[j].At = events[0].Session, events[len(events)-1].At
			again[j].ID = fmt.Sprintf("%016x-again-%d-%d", uint64(again[j].At.UnixNano()), i, j)
		}
		batch, err := l.ingest(ctx, store, append(events, again...), nil)
		if err != nil {
			return fmt.Errorf("change the store: %w", err)
		}
		for _, m := range batch.Memories {
			changed[m.ID] = true
		}
		last = events[0].Session
	}
	var uses []memory.Use
	for _, m := range l.said {
		if len(changed) < n && !changed[m.ID] && mayBeUsed[m.Project] {
			changed[m.ID] = true
			uses = append(uses, memory.Use{Memory: m.ID, Session: last, How: memory.UseRecalled, At: time.Now().UTC()})
		}
	}
	_, err := l.ingest(ctx, store, nil, uses)
	return err
}

// again are events of the past that happen once more, at most five.
func (l *life) again(p *livedProject, most int) []memory.Event {
	var events []memory.Event
	for range min(5, most) {
		events = append(events, p.past[l.random.IntN(len(p.past))])
	}
	return events
}
