package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/latency"
	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens/bpe"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

const (
	// smallProject is how many memories the project has that stays as it is while
	// the store grows around it, and the store at first.
	smallProject = 1000
	// neighbours is how many projects share the memories that are left over by the
	// measured ones.
	neighbours = 9
	// askedPerRow recalls make a row, of askedPerSession each in one session.
	askedPerRow     = 2000
	askedPerSession = 20
	// latencyRows are written in one transaction.
	latencyRows = 250
	// memoriesPerSession follow each other in one session.
	memoriesPerSession = 40
)

// latencyRow is one measured way to recall.
type latencyRow struct {
	Name    string          `json:"name"`
	Project int             `json:"project"` // memories in it
	Store   int             `json:"store"`   // memories in the store
	Time    latency.Summary `json:"time"`
}

// recallLatency measures one recall inside an agent on a real engine: in a project
// of 1,000 memories that are alone in the store, in the same project with the store
// full, and in a large project of it.
func recallLatency(ctx context.Context, project, store int, progress io.Writer) (rows []latencyRow, err error) {
	if project < 1 || store < project+smallProject {
		return nil, fmt.Errorf("a store of %d memories cannot hold projects of %d and %d", store, project, smallProject)
	}
	endpoint, stop, err := enginetest.Open()
	if err != nil {
		return nil, fmt.Errorf("start an engine to measure recall on: %w", err)
	}
	defer stop()
	conn := wire.Open(wire.Options{
		Locate: func(context.Context) (wire.Endpoint, error) {
			return wire.Endpoint{URL: endpoint.URL, User: endpoint.User, Pass: endpoint.Pass}, nil
		},
		Namespace: "bench", Database: fmt.Sprint("recall_", time.Now().UnixNano()), CallTimeout: time.Minute,
	})
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	f, err := newLatencyFill(ctx, conn)
	if err != nil {
		return nil, err
	}
	measure := func(key string, memories int) error {
		_, _ = fmt.Fprintf(progress, "recall: a project of %d memories in a store of %d\n", memories, f.stored)
		measured, err := f.measure(ctx, key, memories)
		rows = append(rows, measured...)
		return err
	}
	if err := f.add(ctx, "small", smallProject); err != nil {
		return nil, err
	}
	if err := measure("small", smallProject); err != nil {
		return nil, err
	}
	if err := f.add(ctx, "large", project); err != nil {
		return nil, err
	}
	rest := store - smallProject - project
	for i := range neighbours {
		share := rest / (neighbours - i)
		rest -= share
		if err := f.add(ctx, fmt.Sprint("neighbour-", i), share); err != nil {
			return nil, err
		}
	}
	return rows, errors.Join(measure("small", smallProject), measure("large", project))
}

// latencyFill fills a store with made-up memories.
type latencyFill struct {
	store   *surreal.Store
	counter tokens.Counter
	words   vocabulary
	stored  int
}

func newLatencyFill(ctx context.Context, conn *wire.Conn) (*latencyFill, error) {
	all, err := migrate.Load(migrations.FS)
	if err != nil {
		return nil, err
	}
	bootstrap, err := schema.Bootstrap()
	if err != nil {
		return nil, err
	}
	if _, err := migrate.Up(ctx, surreal.NewMigrationStore(conn, bootstrap), all, migrate.Options{}); err != nil {
		return nil, err
	}
	counter, err := bpe.New(config.Default().Tokens.Encoding)
	if err != nil {
		return nil, err
	}
	return &latencyFill{store: surreal.NewStore(conn), counter: counter, words: newVocabulary(1)}, nil
}

// kindsMix are the kinds of the memories that sessions leave: mostly activities, a fifth
// kept on request.
var kindsMix = []memory.Kind{
	memory.KindEdit, memory.KindEdit, memory.KindEdit, memory.KindCommand, memory.KindCommand,
	memory.KindFailure, memory.KindFix, memory.KindDiscovery, memory.KindNote, memory.KindDecision,
}

func (f *latencyFill) add(ctx context.Context, project string, n int) error {
	start := time.Now().Add(-time.Duration(n) * time.Minute).UTC()
	for from := 0; from < n; from += latencyRows {
		var batch memory.Batch
		for i := from; i < min(n, from+latencyRows); i++ {
			batch.Memories = append(batch.Memories, f.memory(project, i, start.Add(time.Duration(i)*time.Minute)))
		}
		if err := f.store.Ingest(ctx, batch); err != nil {
			return fmt.Errorf("fill the store: %w", err)
		}
	}
	f.stored += n
	return nil
}

func (f *latencyFill) memory(project string, i int, at time.Time) memory.Memory {
	m := memory.Memory{
		Project: project, Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: kindsMix[i%len(kindsMix)],
		Status: memory.StatusActive, Content: f.words.text(18), Files: []string{fileNamed(i)}, Command: commandNamed(i),
		Session: fmt.Sprint(project, "-", i/memoriesPerSession), Importance: 0.5, CreatedAt: at, LastSeenAt: at,
	}
	m.ID = memory.NewID(m.Scope, m.Project, m.Content)
	m.TokenCount, m.TokenEncoding = f.counter.Count(render.Line(m)), f.counter.Encoding()
	return m
}

func fileNamed(i int) string {
	return fmt.Sprintf("pkg/%s/%s.go", word(uint64(i%37)), word(uint64(i%997)))
}
func commandNamed(i int) string { return "go test ./" + word(uint64(i%211)) }

// measure asks a new agent.
func (f *latencyFill) measure(ctx context.Context, project string, memories int) ([]latencyRow, error) {
	a := agent.New(agent.Options{
		Store: f.store, Counter: f.counter, Config: config.Default(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	questions := questionsFor(project, newVocabulary(2))
	timed := func(p agentapi.RecallParams) (time.Duration, error) {
		began := time.Now()
		_, err := a.Briefing.Recall(ctx, p)
		return time.Since(began), err
	}
	load, err := timed(questions[0])
	if err != nil {
		return nil, err
	}
	var first, later []time.Duration
	for i, q := range questions {
		took, err := timed(q)
		if err != nil {
			return nil, err
		}
		if i%askedPerSession == 0 {
			first = append(first, took)
		} else {
			later = append(later, took)
		}
	}
	row := func(name string, took ...time.Duration) latencyRow {
		return latencyRow{name, memories, f.stored, latency.Summarise(took)}
	}
	return []latencyRow{
		row("agent", later...), row("agent, first of a session", first...),
		row("agent, first of a project (loads it)", load),
	}, nil
}

// questionsFor are the questions of a working session: of ten, six for prompts of ten
// words, two for files, one for a command and one for its failure.
func questionsFor(project string, words vocabulary) []agentapi.RecallParams {
	var all []agentapi.RecallParams
	for i := range askedPerRow {
		p := agentapi.RecallParams{
			Purpose: agentapi.ForPrompt, Project: project, Session: fmt.Sprint("asking-", i/askedPerSession), TokenBudget: 1500,
		}
		switch i % 10 {
		case 3, 7:
			p.Purpose, p.File = agentapi.ForRead, fileNamed(i)
		case 8:
			p.Purpose, p.Command = agentapi.ForCommand, commandNamed(i)
		case 9:
			p.Purpose, p.Command, p.Text = agentapi.ForFailure, commandNamed(i), "Exit code 1\nerror: "+words.text(5)
		default:
			p.Text = words.text(10)
		}
		all = append(all, p)
	}
	return all
}

// vocabulary draws words as texts use them: few of them most of the time.
type vocabulary struct{ zipf *rand.Zipf }

func newVocabulary(seed uint64) vocabulary {
	return vocabulary{rand.NewZipf(rand.New(rand.NewPCG(seed, 1)), 1.1, 30, 30_000)}
}

func (v vocabulary) text(words int) string {
	text := make([]string, words)
	for i := range text {
		text[i] = word(v.zipf.Uint64())
	}
	return strings.Join(text, " ")
}

// word spells a number in syllables, so that it stems and splits like a word.
func word(n uint64) string {
	const syllables = "babedoguhikalemonuparesitovuwaxyzefiko"
	var spelled strings.Builder
	for n += 40; n > 0; n /= 19 {
		spelled.WriteString(syllables[2*(n%19) : 2*(n%19)+2])
	}
	return spelled.String()
}

func writeLatency(out io.Writer, rows []latencyRow) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "one recall\tproject\tstore\tn\tp50 ms\tp99 ms\tmax ms\t")
	for _, r := range rows {
		_, _ = fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%.2f\t%.2f\t%.2f\t\n", r.Name, r.Project, r.Store, r.Time.N, r.Time.P50, r.Time.P99, r.Time.Max)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	const perRun = 4 // rows of one project
	if len(rows) >= 2*perRun && rows[0].Time.P50 > 0 {
		_, err := fmt.Fprintf(out, "the same project with the store grown: %.2f times the p50, %.2f times the p99\n\n",
			rows[perRun].Time.P50/rows[0].Time.P50, rows[perRun].Time.P99/rows[0].Time.P99)
		return err
	}
	return nil
}
