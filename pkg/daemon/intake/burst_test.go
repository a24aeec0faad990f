package intake_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// newBurst is a daemon that takes two events at once, with a spool. before runs before each write.
func newBurst(t *testing.T, before func(memory.Batch) error) (*daemontest.Fixture, *spool.Spool) {
	t.Helper()
	a, faulty, s := daemontest.New(t)
	a.Config.Daemon.BatchSize, faulty.Fail = 2, before
	a.Rebuild()
	return a, s
}

// TestABurstIsTakenInBatches checks the spool during each write: one batch is claimed, all are stored in their order, and a
// start waits for those that are not stored.
func TestABurstIsTakenInBatches(t *testing.T) {
	var s *spool.Spool
	var a *daemontest.Fixture
	var stored []string
	a, s = newBurst(t, func(b memory.Batch) error {
		if len(b.Prompts) == 0 { // a summary
			return nil
		}
		left := 5 - len(stored)
		want := spool.Counts{Claimed: min(2, left), New: left - min(2, left)}
		musttest.Same(t, want, daemontest.Counts(t, s), "while batch %d is written the spool (-want +got)", len(stored)/2)
		if !daemontest.MustWait(t, a, "p", "") {
			t.Error("a start does not wait for prompts that are taken")
		}
		for _, p := range b.Prompts {
			stored = append(stored, p.Text)
		}
		return nil
	})
	want := []string{"prompt 0", "prompt 1", "prompt 2", "prompt 3", "prompt 4"}
	for i, text := range want {
		daemontest.Put(t, s, daemontest.Prompt(i, text))
	}
	done, err := a.Intake.Ingest(t.Context())
	if err != nil || done.Events != 5 {
		t.Errorf("ingested %+v, %v; want five events", done, err)
	}
	musttest.Same(t, want, stored, "stored (-want +got)")
	musttest.Same(t, spool.Counts{}, daemontest.Counts(t, s), "spool (-want +got)")
	if daemontest.MustWait(t, a, "p", "") {
		t.Error("a start waits for what is stored")
	}
}

// TestABatchComesBack has the store fail: the batch is back in the spool, and is stored the second time as it would have
// been the first: each prompt with the words before it.
func TestABatchComesBack(t *testing.T) {
	isDown := true
	a, s := newBurst(t, func(memory.Batch) error {
		if !isDown {
			return nil
		}
		return fmt.Errorf("no route: %w", memory.ErrUnavailable)
	})
	daemontest.Put(t, s, pastedTalk()...)
	musttest.Is(t, memory.ErrUnavailable, musttest.Err(a.Intake.Ingest(t.Context())), "ingest")
	musttest.Same(t, spool.Counts{New: 4}, daemontest.Counts(t, s), "spool (-want +got)")
	isDown = false
	if done, err := a.Intake.Ingest(t.Context()); err != nil || done != (daemonapi.IngestResult{Events: 4}) {
		t.Errorf("ingested %+v, %v; want four events", done, err)
	}
	requireAdoptedOnly(t, a)
}

// TestABatchIsReleased loses the home to another daemon during a write: the claimed batch is left to that daemon, and
// nothing else that it has claimed is touched.
func TestABatchIsReleased(t *testing.T) {
	var s *spool.Spool
	var lost atomic.Bool
	a, s := newBurst(t, func(memory.Batch) error {
		lost.Store(true)
		others := daemontest.Prompt(9, "of the other daemon")
		daemontest.Put(t, s, others)
		musttest.Is(t, nil, musttest.Err(spool.New(s.Dir()).Claim(1)), "claim")
		return nil
	})
	a.Owned = func() bool { return !lost.Load() }
	a.Rebuild()
	for i := range 4 {
		daemontest.Put(t, s, daemontest.Prompt(i, fmt.Sprint("prompt ", i)))
	}
	musttest.Is(t, intake.ErrHomeLost, musttest.Err(a.Intake.Ingest(t.Context())), "ingest")
	musttest.Same(t, spool.Counts{New: 4, Claimed: 1}, daemontest.Counts(t, s), "spool (-want +got)")
}

// TestUnacknowledgedEventsComeBack has a file that cannot be deleted in each of two
// full batches in turn: that is an error, and only this file is back in the spool.
func TestUnacknowledgedEventsComeBack(t *testing.T) {
	for _, stuck := range []int{0, 3} {
		events := []memory.Event{daemontest.Prompt(0, "prompt 0"), daemontest.Prompt(1, "prompt 1"), daemontest.Prompt(2, "prompt 2"), daemontest.Prompt(3, "prompt 3")}
		var s *spool.Spool
		a, s := newBurst(t, func(b memory.Batch) error {
			if len(b.Prompts) > 0 && b.Prompts[0].Text == events[stuck&2].Prompt { // a folder with something in it
				file := filepath.Join(s.Dir(), "claimed", events[stuck].ID+".json")
				return errors.Join(os.Remove(file), os.MkdirAll(filepath.Join(file, "stuck"), 0o700))
			}
			return nil
		})
		daemontest.Put(t, s, events...)
		if _, err := a.Intake.Ingest(t.Context()); err == nil || !strings.Contains(err.Error(), events[stuck].ID) {
			t.Errorf("event %d is stuck: error %v", stuck, err)
		}
		got := daemontest.Counts(t, s)
		if got.Claimed > 0 || got.New == 0 {
			t.Errorf("event %d is stuck: spool %+v; want none claimed and one waiting", stuck, got)
		}
		if stuck == 3 && got.New != 1 {
			t.Errorf("spool %+v; want only the stuck one", got)
		}
	}
}

// TestHalvesKnowTheSameWords has the store refuse an event: the others are stored in
// parts, and a prompt is still read with the words before it.
func TestHalvesKnowTheSameWords(t *testing.T) {
	a, store, s := daemontest.New(t)
	store.Fail = refusePoison
	daemontest.Put(t, s, append(pastedTalk(), daemontest.Prompt(5, "poison"))...)
	if done, err := a.Intake.Ingest(t.Context()); err != nil || done != (daemonapi.IngestResult{Events: 4, Dead: 1}) {
		t.Errorf("ingested %+v, %v; want four events and a dead letter", done, err)
	}
	musttest.Same(t, spool.Counts{Dead: 1}, daemontest.Counts(t, s), "spool (-want +got)")
	requireAdoptedOnly(t, a)
}

// A line that the assistant has just written is no request of the user's, however the session arrives:
// event by event, as one batch, or as a transcript.
func TestWhatTheAssistantHasJustWrittenIsPasted(t *testing.T) {
	for name, in := range map[string]func(*testing.T, *daemontest.Fixture, []memory.Event){
		"event by event": func(t *testing.T, a *daemontest.Fixture, events []memory.Event) {
			for _, e := range events {
				daemontest.Ingested(t, a, e)
			}
		},
		"as one batch": func(t *testing.T, a *daemontest.Fixture, events []memory.Event) { daemontest.Ingested(t, a, events...) },
		"imported": func(t *testing.T, a *daemontest.Fixture, events []memory.Event) {
			for i := range events {
				events[i].ID = memory.NewImportID("test", events[i].ID)
			}
			musttest.Get(a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: events}))(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, _, _ := daemontest.New(t)
			in(t, a, pastedTalk())
			requireAdoptedOnly(t, a)
		})
	}
}

// pastedTalk is a proposal, and two prompts after it: one pastes the proposal, the other has a rule of the user's own.
func pastedTalk() []memory.Event {
	lastWords := func(n int, text string) memory.Event {
		e := daemontest.Event(n, memory.EventTurnEnded)
		e.Text = text
		return e
	}
	return []memory.Event{
		daemontest.Prompt(1, "clean up the list of commands"),
		lastWords(2, "I went through the list. We could write:\n- Convention: the session commands must come back."),
		daemontest.Prompt(3, "- Convention: the session commands must come back.\nConvention: commands are sorted."),
		lastWords(4, "They are out again."),
	}
}

// requireAdoptedOnly wants the user's own rule of pastedTalk at a start, and not the pasted one.
func requireAdoptedOnly(t *testing.T, a *daemontest.Fixture) {
	t.Helper()
	start, err := a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: "s3", Source: "startup", TokenBudget: 800})
	if err != nil || !strings.Contains(start.Text, "commands are sorted") || strings.Contains(start.Text, "must come back") {
		t.Errorf("the start has %q, %v", start.Text, err)
	}
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

func TestAnEventAfterTheEndIsInTheSummary(t *testing.T) {
	a, store, _ := daemontest.New(t)
	daemontest.Ingested(t, a, daemontest.Event(0, memory.EventSessionStarted), daemontest.Prompt(1, "fix it"), daemontest.Event(2, memory.EventSessionEnded))
	late := daemontest.Event(3, memory.EventFileChanged)
	late.File, late.After, late.Lines = "late.go", "package late", 1
	daemontest.Ingested(t, a, late)
	record := musttest.Get(memory.RecordOf(t.Context(), store, "s1"))(t)
	session := record.Session
	for _, part := range []string{"fix it", "late.go"} {
		if !strings.Contains(session.Summary.Text, part) {
			t.Errorf("summary %q does not mention %q", session.Summary.Text, part)
		}
	}
}

func TestItsOwnStartAloneIsNotWaitedFor(t *testing.T) {
	a, store, s := daemontest.New(t)
	store.Fail = func(memory.Batch) error {
		t.Error("ingested on the way to an answer that did not need it")
		return nil
	}
	own := daemontest.Event(5, memory.EventSessionStarted)
	daemontest.Put(t, s, own)
	musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: "s1", TokenBudget: 500, Before: own.ID}))(t)
}

// TestAStartSeesAnEventThatIsBeingClaimed: an event that moves out of the spool while a start looks for it is found.
func TestAStartSeesAnEventThatIsBeingClaimed(t *testing.T) {
	a, store, s := daemontest.New(t)
	for i := range 20 {
		looked := make(chan struct{})
		store.Fail = func(memory.Batch) error { <-looked; return nil }
		daemontest.Put(t, s, daemontest.Prompt(i, fmt.Sprintf("prompt %d", i)))
		var stored sync.WaitGroup
		stored.Go(func() { musttest.Is(t, nil, musttest.Err(a.Intake.Ingest(t.Context())), "a.Intake.Ingest") })
		_, mustWait := a.Intake.Pending(t.Context(), "p", "")
		close(looked)
		stored.Wait()
		if !mustWait {
			t.Fatalf("the start %d did not see a prompt that was not stored yet", i)
		}
	}
}
