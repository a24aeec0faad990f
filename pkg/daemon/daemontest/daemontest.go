// Package daemontest has what the tests of the daemon's packages share: a daemon on an empty store, events,
// questions, and a model that answers by script.
package daemontest

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// Update makes tests write the files that they compare with.
var Update = flag.Bool("update", false, "write the compared files anew: the texts of docs/lab/recall.md, the recorded answers, the results of imported transcripts")

// Noon is the start time of the clock of New, and the time of event 0.
var Noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// WordCounter counts words, for tests that are not about tokens.
type WordCounter struct{}

func (WordCounter) Count(text string) int { return len(strings.Fields(text)) }

func (WordCounter) Encoding() string { return "words" }

// FaultyStore fails as configured before it calls the real store.
type FaultyStore struct {
	storetest.Store
	Fail func(memory.Batch) error
	Hang chan struct{} // writes wait until it is closed; nil to not wait
}

// Apply waits for Hang, and fails as Fail does.
func (s *FaultyStore) Apply(ctx context.Context, w memory.Write) error {
	if s.Fail != nil {
		if err := s.Fail(BatchOf(w)); err != nil {
			return err
		}
	}
	if s.Hang != nil {
		<-s.Hang
	}
	return s.Store.Apply(ctx, w)
}

// BatchOf returns the new and changed rows of a write.
func BatchOf(w memory.Write) memory.Batch {
	var b memory.Batch
	for _, c := range w.Rows {
		switch row := c.After.(type) {
		case memory.ProjectRow:
			b.Projects = append(b.Projects, row.Project)
		case memory.Session:
			b.Sessions = append(b.Sessions, row)
		case memory.Prompt:
			b.Prompts = append(b.Prompts, row)
		case memory.Row:
			b.Memories = append(b.Memories, row.Memory)
		case memory.Sighting:
			b.Sightings = append(b.Sightings, row)
		case memory.SessionEvent:
			b.SessionEvents = append(b.SessionEvents, row)
		case memory.Injection:
			b.Injections = append(b.Injections, row)
		case memory.Use:
			b.Uses = append(b.Uses, row)
		}
	}
	return b
}

// New returns a daemon on an empty store, with a spool, and a clock that stands at Noon.
func New(t *testing.T) (*Fixture, *FaultyStore, *spool.Spool) {
	t.Helper()
	return Drawn(t, t)
}

// Drawn is New for one example of a property test (rapid). The examples use one database, one after another.
func Drawn(t *testing.T, draw surrealtest.TB) (*Fixture, *FaultyStore, *spool.Spool) {
	t.Helper()
	store := &FaultyStore{Store: surrealtest.Empty(draw)}
	home := paths.Layout{Home: t.TempDir()}
	s := spool.New(home.Spool())
	return NewFixture(daemon.Options{
		Store: store, Spools: []*spool.Spool{s}, Counter: WordCounter{}, Config: config.Default(), Layout: home,
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return Noon },
	}), store, s
}

// Complete returns options with what a test has not set: the settings of hooks and distillation in Config, no model, and the
// usual removal of secrets.
func Complete(o daemon.Options) daemon.Options {
	if o.Hooks == nil {
		o.Hooks = func() config.Hooks { return o.Config.Hooks }
	}
	if o.Distills == nil {
		o.Distills = func() (config.Distill, distill.Model) { return o.Config.Distill, nil }
	}
	if o.Redact == nil {
		o.Redact = redact.Clean
	}
	if o.IsDisabled == nil {
		o.IsDisabled = func() bool { return false }
	}
	if o.OnlyAsked == nil {
		o.OnlyAsked = func() bool { return false }
	}
	return o
}

// ExactCounter returns a counter as a real daemon uses it; WordCounter is faster.
func ExactCounter(t *testing.T) memory.TokenCounter {
	t.Helper()
	return tokens.New()
}

// Fixture is a daemon with its options. Its clock and its counter may be replaced at any time; other options take
// effect with Rebuild.
type Fixture struct {
	*daemon.Daemon
	daemon.Options
}

// NewFixture returns a daemon with these options.
func NewFixture(o daemon.Options) *Fixture {
	f := &Fixture{Options: o}
	f.Rebuild()
	return f
}

// Rebuild replaces the daemon by a new one with empty caches.
func (f *Fixture) Rebuild() {
	o := Complete(f.Options)
	o.Now, o.Counter = func() time.Time { return f.Now() }, currentCounter{f}
	f.Daemon = daemon.New(o)
}

// currentCounter counts with the fixture's present counter, because tests replace it.
type currentCounter struct{ of *Fixture }

func (c currentCounter) Count(text string) int { return c.of.Counter.Count(text) }

func (c currentCounter) Encoding() string { return c.of.Counter.Encoding() }

// Event returns an event of session s1 in project p, n seconds after Noon.
func Event(n int, kind memory.EventKind) memory.Event {
	at := Noon.Add(time.Duration(n) * time.Second)
	return memory.Event{
		ID: memory.NewEventID(at), At: at, Kind: kind, Session: "s1",
		Project: memory.Project{Key: "p", Name: "p", Root: "/p"}, Dir: "/p",
	}
}

// Prompt returns an event with a prompt.
func Prompt(n int, text string) memory.Event {
	e := Event(n, memory.EventPrompt)
	e.Prompt = text
	return e
}

// Put writes events into a spool.
func Put(t *testing.T, s *spool.Spool, events ...memory.Event) {
	t.Helper()
	for _, e := range events {
		if err := putAny(s, e); err != nil {
			t.Fatal(err)
		}
	}
}

// putAny writes an event, even one that no hook would write.
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

// Journaled returns the journal records that an event causes in an empty store.
func Journaled(e memory.Event) []journal.Record {
	nothing := memory.Rows{Sessions: map[string]memory.Session{}, Memories: map[string]memory.Row{}}
	return journal.Records(book.BatchWrite(ingest.Batch([]memory.Event{e}), nothing))
}

// Counts returns the counts of the events in a spool.
func Counts(t *testing.T, s *spool.Spool) spool.Counts {
	t.Helper()
	c, err := s.Counts()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// RowOf returns the stored row of a memory.
func RowOf(t *testing.T, a *Fixture, id string) memory.Row {
	t.Helper()
	rows, err := a.Store.Rows(t.Context(), memory.WithIDs{id})
	if err != nil || len(rows) != 1 {
		t.Fatalf("rows %+v, %v", rows, err)
	}
	return rows[0]
}

// Amended changes a memory in the store behind the daemon's back.
func Amended(t *testing.T, a *Fixture, id string) {
	t.Helper()
	change := memory.Change{ID: "behind", At: Noon, By: "test", Reason: "behind the daemon", Status: memory.StatusArchived}
	if _, _, err := a.Store.Amend(t.Context(), id, change); err != nil {
		t.Fatal(err)
	}
}
