package spool_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// withDeadLetters makes a spool with a letter that nobody can read, a valid one
// that the store once refused, and an event that waits.
func withDeadLetters(t *testing.T) *spool.Spool {
	t.Helper()
	s := spool.New(filepath.Join(t.TempDir(), "spool"))
	put(t, s, event(start, "refused"))
	if err := os.WriteFile(filepath.Join(s.Dir(), "new", "broken.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range claim(t, s, 10) {
		if err := s.Bury(c.Name, errors.New("the store refuses it")); err != nil {
			t.Fatal(err)
		}
	}
	put(t, s, event(start.Add(time.Second), "waits"))
	return s
}

func expectCounts(t *testing.T, s *spool.Spool, want spool.Counts) {
	t.Helper()
	got, err := s.Counts()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the spool holds (-want +got):\n%s", diff)
	}
}

func TestOnlyValidDeadLettersAreRevived(t *testing.T) {
	s := withDeadLetters(t)
	if n, err := s.Revivable(); n != 1 || err != nil {
		t.Errorf("%d dead letters are valid, %v", n, err)
	}
	if n, err := s.Revive(); n != 1 || err != nil {
		t.Errorf("revived %d, %v", n, err)
	}
	expectCounts(t, s, spool.Counts{New: 2, Dead: 1})
	if reasons, _ := filepath.Glob(filepath.Join(s.Dir(), "dead", "*.reason")); len(reasons) != 1 {
		t.Errorf("reasons left: %q", reasons)
	}
}

func TestDiscardDeletesWhatItIsToldTo(t *testing.T) {
	s := withDeadLetters(t)
	if n, err := s.Discard(func(memory.Event) bool { return false }); n != 0 || err != nil {
		t.Errorf("discarded %d, %v", n, err)
	}
	if n, err := s.Discard(func(e memory.Event) bool { return e.Project.Key == "p" }); n != 2 || err != nil {
		t.Errorf("discarded %d, %v", n, err)
	}
	expectCounts(t, s, spool.Counts{Dead: 1}) // what nobody can read is nobody's
	if n, err := spool.New(t.TempDir()).Discard(func(memory.Event) bool { return true }); n != 0 || err != nil {
		t.Errorf("discarded %d of no spool, %v", n, err)
	}
}
