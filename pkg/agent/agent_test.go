package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/memstore"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens/bpe"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// wordCounter counts words: these tests are not about tokens.
type wordCounter struct{}

func (wordCounter) Count(text string) int { return len(strings.Fields(text)) }
func (wordCounter) Encoding() string      { return "words" }

// faultyStore fails as told before it gets to the real one.
type faultyStore struct {
	storetest.Store
	fail func(memory.Batch) error
	slow time.Duration // what loading a project takes
	hang chan struct{} // writes wait until it is closed; nil: they don't
}

func (s *faultyStore) Ingest(ctx context.Context, b memory.Batch) error {
	if s.fail != nil {
		if err := s.fail(b); err != nil {
			return err
		}
	}
	if s.hang != nil {
		<-s.hang
	}
	return s.Store.Ingest(ctx, b)
}

func newAgent(t *testing.T) (*fixture, *faultyStore, *spool.Spool) {
	t.Helper()
	store := &faultyStore{Store: memstore.New()}
	s := spool.New(filepath.Join(t.TempDir(), "spool"))
	return newFixture(agent.Options{
		Store: store, Spools: []*spool.Spool{s}, Counter: wordCounter{}, Config: config.Default(),
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return noon },
	}), store, s
}

// exactCounter counts as a real agent does; wordCounter is faster.
func exactCounter(t *testing.T) tokens.Counter {
	t.Helper()
	counter, err := bpe.New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	return counter
}

// fixture is an agent with what it was made of. Its clock and its counter may be
// exchanged at any time; anything else takes effect with rebuild.
type fixture struct {
	*agent.Agent
	agent.Options
}

func newFixture(o agent.Options) *fixture {
	f := &fixture{Options: o}
	f.rebuild()
	return f
}

// rebuild makes a new agent, which holds nothing yet.
func (f *fixture) rebuild() {
	o := f.Options
	o.Now, o.Counter = func() time.Time { return f.Now() }, exchangeable{f}
	f.Agent = agent.New(o)
}

// exchangeable counts by the counter that the fixture has now.
type exchangeable struct{ of *fixture }

func (c exchangeable) Count(text string) int { return c.of.Counter.Count(text) }
func (c exchangeable) Encoding() string      { return c.of.Counter.Encoding() }

func event(n int, kind memory.EventKind) memory.Event {
	at := noon.Add(time.Duration(n) * time.Second)
	return memory.Event{
		ID: memory.NewEventID(at), At: at, Kind: kind, Session: "s1",
		Project: memory.Project{Key: "p", Name: "p", Root: "/p"}, Dir: "/p",
	}
}

func prompt(n int, text string) memory.Event {
	e := event(n, memory.EventPrompt)
	e.Prompt = text
	return e
}

func put(t *testing.T, s *spool.Spool, events ...memory.Event) {
	t.Helper()
	for _, e := range events {
		if err := putAny(s, e); err != nil {
			t.Fatal(err)
		}
	}
}

// putAny writes by itself what no hook puts into a spool, and somebody may put there all the same.
func putAny(s *spool.Spool, e memory.Event) error {
	if e.Import == nil && e.Distilled == nil {
		return s.Put(e)
	}
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	dir := filepath.Join(s.Dir(), "new")
	return errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, e.ID+".json"), data, 0o600))
}

func counts(t *testing.T, s *spool.Spool) spool.Counts {
	t.Helper()
	c, err := s.Counts()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// refusePoison is how the store fails at a batch with the prompt "poison".
func refusePoison(b memory.Batch) error {
	for _, p := range b.Prompts {
		if p.Text == "poison" {
			return errors.New("the engine refuses a value")
		}
	}
	return nil
}

func TestOneBadEventDoesNotHoldUpTheOthers(t *testing.T) {
	a, store, s := newAgent(t)
	store.fail = refusePoison
	for i := range 9 {
		put(t, s, prompt(i, fmt.Sprint("good ", i)))
	}
	put(t, s, prompt(4, "poison"))
	done, err := a.Intake.Ingest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(intake.Ingested{Events: 9, Dead: 1}, done); diff != "" {
		t.Errorf("ingested (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(spool.Counts{Dead: 1}, counts(t, s)); diff != "" {
		t.Errorf("spool (-want +got):\n%s", diff)
	}
}

func TestWhileTheStoreIsDownEventsWait(t *testing.T) {
	a, store, s := newAgent(t)
	put(t, s, prompt(1, "one"), prompt(2, "two"))
	store.fail = func(memory.Batch) error { return fmt.Errorf("no route: %w", memory.ErrUnavailable) }
	if _, err := a.Intake.Ingest(t.Context()); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("error %v, want ErrUnavailable", err)
	}
	if diff := cmp.Diff(spool.Counts{New: 2}, counts(t, s)); diff != "" {
		t.Errorf("spool (-want +got):\n%s", diff)
	}
	store.fail = nil
	done, err := a.Intake.Ingest(t.Context())
	if err != nil || done.Events != 2 {
		t.Errorf("ingested %+v, %v; want both events", done, err)
	}
}

func TestAnEventAfterTheEndIsInTheSummary(t *testing.T) {
	a, store, s := newAgent(t)
	put(t, s, event(0, memory.EventSessionStarted), prompt(1, "fix it"), event(2, memory.EventSessionEnded))
	if _, err := a.Intake.Ingest(t.Context()); err != nil {
		t.Fatal(err)
	}
	late := event(3, memory.EventFileChanged)
	late.File, late.After, late.Lines = "late.go", "package late", 1
	put(t, s, late)
	if _, err := a.Intake.Ingest(t.Context()); err != nil {
		t.Fatal(err)
	}
	session, err := store.Session(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"fix it", "late.go"} {
		if !strings.Contains(session.Summary.Text, part) {
			t.Errorf("summary %q does not tell of %q", session.Summary.Text, part)
		}
	}
}

func TestASessionStartsWithWhatWasSpooledBefore(t *testing.T) {
	a, _, s := newAgent(t)
	put(t, s, prompt(1, "remember: the port is 6543"))
	own := event(5, memory.EventSessionStarted)
	own.Session = "s2"
	put(t, s, own)
	result, err := a.Briefing.SessionContext(t.Context(), agentapi.SessionContextParams{
		Project: "p", Session: "s2", TokenBudget: 500, Before: own.ID,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(result.Text, "6543") || result.Items != 1 {
		t.Errorf("context is %+v", result)
	}
}

func TestItsOwnStartAloneIsNotWaitedFor(t *testing.T) {
	a, store, s := newAgent(t)
	store.fail = func(memory.Batch) error {
		t.Error("ingested on the way to an answer that did not need it")
		return nil
	}
	own := event(5, memory.EventSessionStarted)
	put(t, s, own)
	if _, err := a.Briefing.SessionContext(t.Context(), agentapi.SessionContextParams{Project: "p", Session: "s1", TokenBudget: 500, Before: own.ID}); err != nil {
		t.Fatal(err)
	}
}

func TestRecountIsARunAndTheSecondFindsNothing(t *testing.T) {
	a, store, s := newAgent(t)
	put(t, s, prompt(1, "remember: one two three"))
	if _, err := a.Intake.Ingest(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.Counter = otherCounter{}
	run, err := a.Upkeep.Maintain(t.Context(), consolidate.Request{Job: "recount", Trigger: "manual"})
	if err != nil || run.Changed != 1 {
		t.Fatalf("run %+v, %v; want one change", run, err)
	}
	memories, err := store.Memories(t.Context(), memory.Filter{})
	if err != nil || len(memories) != 1 || memories[0].TokenCount != 100 || memories[0].TokenEncoding != "other" {
		t.Errorf("memories %+v, %v", memories, err)
	}
	if run, err = a.Upkeep.Maintain(t.Context(), consolidate.Request{Job: "recount", Trigger: "manual"}); err != nil || run.Examined != 0 {
		t.Errorf("the second run is %+v, %v", run, err)
	}
	if _, err := a.Upkeep.Maintain(t.Context(), consolidate.Request{Job: "dance", Trigger: "manual"}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("unknown job: %v, want ErrInvalid", err)
	}
}

type otherCounter struct{}

func (otherCounter) Count(string) int { return 100 }
func (otherCounter) Encoding() string { return "other" }
