package intake_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

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

func TestASessionStartsWithTheEventsSpooledBefore(t *testing.T) {
	a, _, s := daemontest.New(t)
	daemontest.Put(t, s, daemontest.Prompt(1, "remember: the port is 6543"))
	own := daemontest.Event(5, memory.EventSessionStarted)
	own.Session = "s2"
	daemontest.Put(t, s, own)
	result := musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{
		Project: "p", Session: "s2", TokenBudget: 500, Before: own.ID,
	}))(t)
	if !strings.Contains(result.Text, "6543") || result.Items != 1 {
		t.Errorf("context is %+v", result)
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
		stored.Go(func() {
			if _, err := a.Intake.Ingest(t.Context()); err != nil {
				t.Error(err)
			}
		})
		_, mustWait := a.Intake.Pending(t.Context(), "p", "")
		close(looked)
		stored.Wait()
		if !mustWait {
			t.Fatalf("the start %d did not see a prompt that was not stored yet", i)
		}
	}
}
