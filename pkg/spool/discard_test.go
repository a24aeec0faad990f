package spool_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// withDeadLetters returns a spool with an unreadable dead letter, a valid one that the store once refused, and a waiting event.
func withDeadLetters(t *testing.T) *spool.Spool {
	t.Helper()
	s := spool.New(filepath.Join(t.TempDir(), "spool"))
	put(t, s, event(start, "refused"))
	musttest.Do(t, os.WriteFile(filepath.Join(s.Dir(), "new", "broken.json"), []byte(`{"prompt":"Zora\nLind\u2028\"\u00f6\"\\\ud83d`), 0o600))
	for _, c := range claim(t, s, 10) {
		musttest.Do(t, s.DeadLetter(c.Name, errors.New("the store refuses it")))
	}
	put(t, s, event(start.Add(time.Second), "waits"))
	return s
}

func expectCounts(t *testing.T, s *spool.Spool, want spool.Counts) {
	t.Helper()
	got := musttest.Get(s.Counts())(t)
	musttest.Same(t, want, got, "the spool holds (-want +got)")
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

// Files of killed hooks are deleted, too: a complete event would come back a day later, and a partial one may contain anything.
func TestDiscardEmptiesTheFolderOfKilledHooks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	s := spool.New(dir)
	var names []string
	for i, key := range []string{"p", "q"} {
		e := memory.Event{
			ID: memory.NewEventID(time.Now().Add(time.Duration(i) * time.Millisecond)), At: time.Now(), Kind: memory.EventPrompt, Session: "s",
			Project: memory.Project{Key: key, Name: key, Root: "/" + key}, Prompt: "x",
		}
		musttest.Do(t, s.Put(e))
		names = append(names, e.ID+".json")
		musttest.Do(t, os.Rename(filepath.Join(dir, "new", names[i]), filepath.Join(dir, "tmp", names[i])))
	}
	half := filepath.Join(dir, "tmp", "half.json")
	long := time.Now().Add(-time.Hour)
	musttest.Do(t, errors.Join(os.WriteFile(half, []byte(`{"prompt": "the secr`), 0o600), os.Chtimes(half, long, long)))
	if n, err := s.Discard(func(e memory.Event) bool { return e.Project.Key == "p" }); n != 1 || err != nil {
		t.Errorf("discarded %d, %v", n, err)
	}
	left, err := os.ReadDir(filepath.Join(dir, "tmp"))
	if err != nil || len(left) != 1 || left[0].Name() != names[1] {
		t.Errorf("left is %v, %v", left, err)
	}
}

func TestDiscardDeletesOnlyTheChosenEvents(t *testing.T) {
	s := withDeadLetters(t)
	if n, err := s.Discard(func(memory.Event) bool { return false }); n != 0 || err != nil {
		t.Errorf("discarded %d, %v", n, err)
	}
	if n, err := s.Discard(func(e memory.Event) bool { return e.Project.Key == "p" }); n != 2 || err != nil {
		t.Errorf("discarded %d, %v", n, err)
	}
	expectCounts(t, s, spool.Counts{Dead: 1}) // an unreadable one belongs to nobody, but has words
	if n, err := s.Discard(func(e memory.Event) bool { return strings.HasSuffix(e.Prompt, "Zora\nLind\u2028\"ö\"\\\\ud83d") }); n != 1 || err != nil {
		t.Errorf("of unreadable files %d are discarded by their text, %v", n, err)
	}
	if n, err := spool.New(t.TempDir()).Discard(func(memory.Event) bool { return true }); n != 0 || err != nil {
		t.Errorf("discarded %d of no spool, %v", n, err)
	}
}
