package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
)

// place creates a data directory with its record, marked by a text.
func place(t *testing.T, path, text string) {
	t.Helper()
	musttest.Do(t, os.Mkdir(path, 0o700))
	for _, file := range []string{filepath.Join(path, "CURRENT"), path + ".engine.json"} {
		musttest.Do(t, os.WriteFile(file, []byte(text), 0o600))
	}
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	for _, file := range []string{filepath.Join(path, "CURRENT"), path + ".engine.json"} {
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s holds %q (%v), want %q", file, got, err, want)
		}
	}
}

func TestDataIsReplacedAndTheOldIsKept(t *testing.T) {
	dir := t.TempDir()
	data, next := filepath.Join(dir, "data"), filepath.Join(dir, "data.next")
	place(t, data, "oldest")
	for _, c := range [][2]string{{"old", "oldest"}, {"new", "old"}} {
		place(t, next, c[0])
		musttest.Do(t, engine.ReplaceData(data, next))
		holds(t, data, c[0])
		holds(t, data+engine.KeptSuffix, c[1])
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Errorf("%d entries are left (%v), want 4: %v", len(entries), err, entries)
	}
}

func TestDataThatIsNotThereYetIsReplaced(t *testing.T) {
	dir := t.TempDir()
	data, next := filepath.Join(dir, "data"), filepath.Join(dir, "data.next")
	place(t, next, "new")
	musttest.Do(t, engine.ReplaceData(data, next))
	holds(t, data, "new")
	musttest.Fails(t, engine.ReplaceData(data, next), "replaced by missing data")
	holds(t, data, "new")
}

func TestDataThatIsGoneIsReplacedAndTheKeptDataStays(t *testing.T) {
	dir := t.TempDir()
	data, next := filepath.Join(dir, "data"), filepath.Join(dir, "data.next")
	place(t, data+engine.KeptSuffix, "first")
	for _, content := range []string{"second", "third"} {
		place(t, next, content)
		if err := engine.ReplaceData(data, next); err != nil {
			t.Fatalf("%s: %v", content, err)
		}
		holds(t, data, content)
		holds(t, data+engine.KeptSuffix, "first")
		musttest.Do(t, os.RemoveAll(data)) // its record stays
	}
}

func TestAReplacementThatCannotBeginChangesNothing(t *testing.T) {
	dir := t.TempDir()
	data, next := filepath.Join(dir, "data"), filepath.Join(dir, "data.next")
	place(t, data, "old")
	place(t, next, "new")
	musttest.Do(t, os.MkdirAll(filepath.Join(data+".ready", "in the way"), 0o700))
	musttest.Fails(t, engine.ReplaceData(data, next), "replaced by what cannot be made ready")
	holds(t, data, "old")
}

// TestAReplacementIsFinishedWhereverItStopped creates every state that a killed process can have left after the new data was
// ready, with and without data that an earlier replacement has kept.
func TestAReplacementIsFinishedWhereverItStopped(t *testing.T) {
	for renames := range 5 {
		for _, hasKept := range []bool{false, true} {
			data := filepath.Join(t.TempDir(), "data")
			ready, kept := data+".ready", data+engine.KeptSuffix
			place(t, data, "old")
			place(t, ready, "new")
			if hasKept && renames == 0 {
				place(t, kept, "oldest")
			}
			steps := [][2]string{{data, kept}, {data + ".engine.json", kept + ".engine.json"}, {ready + ".engine.json", data + ".engine.json"}, {ready, data}}
			for _, step := range steps[:renames] {
				musttest.Do(t, os.Rename(step[0], step[1]))
			}
			for range 2 {
				if err := engine.FinishReplacing(data); err != nil {
					t.Fatalf("after %d renames: %v", renames, err)
				}
			}
			holds(t, data, "new")
			holds(t, kept, "old")
		}
	}
}
