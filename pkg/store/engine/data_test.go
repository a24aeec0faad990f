package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
)

// place creates a data directory with its password, marked by a text.
func place(t *testing.T, path, text string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(path, "CURRENT"), path + ".secret"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	for _, file := range []string{filepath.Join(path, "CURRENT"), path + ".secret"} {
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s holds %q (%v), want %q", file, got, err, want)
		}
	}
}

func TestDataIsReplacedAndTheOldIsKept(t *testing.T) {
	dir := t.TempDir()
	data, next, kept := filepath.Join(dir, "data"), filepath.Join(dir, "data.next"), filepath.Join(dir, "data.2026")
	place(t, data, "old")
	place(t, next, "new")
	if err := engine.ReplaceData(data, next, kept); err != nil {
		t.Fatal(err)
	}
	holds(t, data, "new")
	holds(t, kept, "old")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Errorf("%d entries are left (%v), want 4: %v", len(entries), err, entries)
	}
	place(t, next, "newer")
	if err := engine.ReplaceData(data, next, kept); err == nil {
		t.Error("the kept data was overwritten")
	}
	holds(t, kept, "old")
}

func TestDataThatIsNotThereYetIsReplaced(t *testing.T) {
	dir := t.TempDir()
	data, next := filepath.Join(dir, "data"), filepath.Join(dir, "data.next")
	place(t, next, "new")
	if err := engine.ReplaceData(data, next, filepath.Join(dir, "kept")); err != nil {
		t.Fatal(err)
	}
	holds(t, data, "new")
	if err := engine.ReplaceData(data, next, filepath.Join(dir, "kept")); err == nil {
		t.Error("replaced by missing data")
	}
	holds(t, data, "new")
}

func TestDataThatIsGoneIsReplacedAndTheKeptDataStays(t *testing.T) {
	dir := t.TempDir()
	data, next, kept := filepath.Join(dir, "data"), filepath.Join(dir, "data.next"), filepath.Join(dir, "kept")
	place(t, kept, "first")
	for _, content := range []string{"second", "third"} {
		place(t, next, content)
		if err := engine.ReplaceData(data, next, kept); err != nil {
			t.Fatalf("%s: %v", content, err)
		}
		holds(t, data, content)
		holds(t, kept, "first")
		if err := os.RemoveAll(data); err != nil { // its password stays
			t.Fatal(err)
		}
	}
}

func TestAReplacementThatCannotBeginChangesNothing(t *testing.T) {
	dir := t.TempDir()
	data, next := filepath.Join(dir, "data"), filepath.Join(dir, "data.next")
	place(t, data, "old")
	place(t, next, "new")
	if err := engine.ReplaceData(data, next, filepath.Join(dir, "nowhere", "kept")); err == nil {
		t.Error("put aside to where nothing can be")
	}
	if err := engine.FinishReplacing(data); err != nil {
		t.Errorf("it is still under way: %v", err)
	}
	holds(t, data, "old")
	holds(t, next, "new")
}

// TestAReplacementIsFinishedWhereverItStopped creates every state that a killed process can
// have left.
func TestAReplacementIsFinishedWhereverItStopped(t *testing.T) {
	for renames := range 5 {
		dir := t.TempDir()
		data, next, kept := filepath.Join(dir, "data"), filepath.Join(dir, "data.next"), filepath.Join(dir, "data.2026")
		place(t, data, "old")
		place(t, next, "new")
		steps := [][2]string{{data, kept}, {next, data}, {data + ".secret", kept + ".secret"}, {next + ".secret", data + ".secret"}}
		for _, step := range steps[:renames] {
			if err := os.Rename(step[0], step[1]); err != nil {
				t.Fatal(err)
			}
		}
		intent := `{"next":"` + filepath.ToSlash(next) + `","kept":"` + filepath.ToSlash(kept) + `"}`
		if err := os.WriteFile(data+".replace", []byte(intent), 0o600); err != nil {
			t.Fatal(err)
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
