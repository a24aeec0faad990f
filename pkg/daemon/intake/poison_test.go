package intake_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// putPoison puts ten events into the spool of which the fourth is poison.
func putPoison(t *testing.T, s *spool.Spool) {
	t.Helper()
	for n := range 10 {
		text := fmt.Sprintf("remember: fact %d", n)
		if n == 3 {
			text += " poison"
		}
		daemontest.Put(t, s, daemontest.Prompt(n, text))
	}
}

// isOneDead wants nine of ten prompts in the store, and the other among the dead letters with a reason.
func isOneDead(t *testing.T, store *daemontest.FaultyStore, s *spool.Spool, reason string) {
	t.Helper()
	record, err := memory.RecordOf(t.Context(), store, "s1")
	prompts := record.Prompts
	if err != nil || len(prompts) != 9 || slices.ContainsFunc(prompts, func(p memory.Prompt) bool { return strings.Contains(p.Text, "poison") }) {
		t.Errorf("the store has %d prompts (%v): %+v", len(prompts), err, prompts)
	}
	if counts, err := s.Counts(); err != nil || counts != (spool.Counts{Dead: 1}) {
		t.Errorf("the spool holds %+v, %v", counts, err)
	}
	files, err := filepath.Glob(filepath.Join(s.Dir(), "dead", "*.reason"))
	if err != nil || len(files) != 1 {
		t.Fatalf("reasons %v, %v", files, err)
	}
	if text, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(text), reason) || !strings.Contains(string(text), "third time") {
		t.Errorf("the reason is %q (%v), want something about %q", text, err, reason)
	}
}

// TestAnEventThatCannotBeReadIsPutAside: making its rows, which needs no store, never ends.
func TestAnEventThatCannotBeReadIsPutAside(t *testing.T) {
	a, store, s := daemontest.New(t)
	putPoison(t, s)
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		a.Redact = func(text string) string {
			if strings.Contains(text, "poison") {
				<-end
			}
			return text
		}
		a.Rebuild()
		musttest.Get(a.Intake.Ingest(t.Context()))(t)
		close(end)
		synctest.Wait()
	})
	isOneDead(t, store, s, "it was not read within")
}

// TestAnEventThatTheStoreNeverAnswersForIsPutAside: it takes every other one meanwhile.
func TestAnEventThatTheStoreNeverAnswersForIsPutAside(t *testing.T) {
	a, store, s := daemontest.New(t)
	putPoison(t, s)
	store.Fail = func(b memory.Batch) error {
		if slices.ContainsFunc(b.Prompts, func(p memory.Prompt) bool { return strings.Contains(p.Text, "poison") }) {
			return fmt.Errorf("no answer: %w: %w", memory.ErrUnavailable, context.DeadlineExceeded)
		}
		return nil
	}
	a.CanWrite = func(context.Context) error { return nil }
	a.Rebuild()
	tries := 0
	for {
		_, err := a.Intake.Ingest(t.Context())
		if err == nil {
			break
		}
		if tries++; tries > 10 {
			t.Fatalf("tried %d times: %v", tries, err)
		}
	}
	isOneDead(t, store, s, "no answer")
}

// TestNoEventIsToBlameForAStoreThatIsAway, nor for a journal that cannot be written.
func TestNoEventIsToBlameForAStoreThatIsAway(t *testing.T) {
	a, store, s := daemontest.New(t)
	a.CanWrite = func(context.Context) error { return memory.ErrUnavailable }
	a.Rebuild()
	store.Fail = func(memory.Batch) error { return memory.ErrUnavailable }
	daemontest.Put(t, s, daemontest.Prompt(1, "one"))
	for range 5 {
		if _, err := a.Intake.Ingest(t.Context()); !errors.Is(err, memory.ErrUnavailable) {
			t.Fatalf("error %v", err)
		}
	}
	if counts, err := s.Counts(); err != nil || counts != (spool.Counts{New: 1}) {
		t.Errorf("the spool holds %+v, %v", counts, err)
	}
	store.Fail = nil
	musttest.Get(a.Intake.Ingest(t.Context()))(t)
	if counts, err := s.Counts(); err != nil || counts != (spool.Counts{}) {
		t.Errorf("after the store is back the spool holds %+v, %v", counts, err)
	}
}

// TestNoEventIsToBlameForAStoreWithoutItsSchema: such a store refuses all events, whatever its errors.
func TestNoEventIsToBlameForAStoreWithoutItsSchema(t *testing.T) {
	for name, refusal := range map[string]error{"a field that is not there": errors.New("no such field exists"), "a table that is not there": memory.ErrStorage} {
		t.Run(name, func(t *testing.T) {
			a, store, s := daemontest.New(t)
			a.CanWrite = func(context.Context) error { return nil }
			a.HasSchema = func(context.Context) error { return fmt.Errorf("%w: it lacks a field", memory.ErrSchema) }
			a.Rebuild()
			store.Fail = func(memory.Batch) error { return refusal }
			for n := range 3 {
				daemontest.Put(t, s, daemontest.Prompt(n, fmt.Sprint("remember: ", n)))
			}
			for range 5 {
				if _, err := a.Intake.Ingest(t.Context()); !errors.Is(err, memory.ErrUnavailable) {
					t.Fatalf("error %v", err)
				}
			}
			if claims, err := s.Claim(10); err != nil || len(claims) != 3 || strings.Contains(claims[0].Name, ".t") {
				t.Fatalf("%d events wait together (%v), want 3 that are no suspects", len(claims), err)
			}
			_, _, err := s.Recover()
			musttest.Do(t, err)
			store.Fail = nil
			a.HasSchema = nil
			a.Rebuild()
			musttest.Get(a.Intake.Ingest(t.Context()))(t)
			if counts, err := s.Counts(); err != nil || counts != (spool.Counts{}) {
				t.Errorf("with its schema back the spool holds %+v, %v", counts, err)
			}
		})
	}
}
