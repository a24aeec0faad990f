package sharedref_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/sharedref"
)

// origin is an empty repository.
func origin(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "origin.git")
	if out, err := exec.CommandContext(t.Context(), "git", "init", "--quiet", "--bare", dir).CombinedOutput(); err != nil {
		t.Skipf("git: %v: %s", err, out)
	}
	return dir
}

func chosen(t *testing.T, address string) sharedref.Ref {
	t.Helper()
	ref := sharedref.Ref{Dir: filepath.Join(t.TempDir(), "ref")}
	if err := ref.Choose(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	return ref
}

// facts are the contents in a copy.
func facts(t *testing.T, ref sharedref.Ref) map[string]bool {
	t.Helper()
	files, err := importer.ReadSharedFolder(ref.Copy())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		if file.Refused != nil {
			t.Errorf("%s is held back: %v", file.Name, file.Refused)
		}
		found[file.Fact.Content] = true
	}
	return found
}

func encoded(content string) (string, []byte) {
	return importer.SharedFact{Kind: memory.KindConvention, Content: content, Author: "anna", At: time.Date(2026, 11, 12, 9, 0, 0, 0, time.UTC)}.Encode()
}

// TestChangesAtTheSameTimeAllArrive has several people add a fact each, and remove the one that
// was there, at the same time.
func TestChangesAtTheSameTimeAllArrive(t *testing.T) {
	address := origin(t)
	first := chosen(t, address)
	old, content := encoded("the old rule")
	if err := first.Change(t.Context(), map[string][]byte{old: content}, nil); err != nil {
		t.Fatal(err)
	}
	const people = 4
	var all sync.WaitGroup
	for i := range people {
		ref := chosen(t, address)
		all.Go(func() {
			name, content := encoded(fmt.Sprintf("rule number %d", i))
			if err := ref.Change(t.Context(), map[string][]byte{name: content}, []string{old}); err != nil {
				t.Errorf("person %d: %v", i, err)
			}
		})
	}
	all.Wait()
	if err := first.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := facts(t, first); len(found) != people || found["the old rule"] {
		t.Errorf("in the end there are %v", found)
	}
}

func TestTheRefIsUsedOnlyWhereItWasChosen(t *testing.T) {
	ref := sharedref.Ref{Dir: filepath.Join(t.TempDir(), "ref")}
	if ref.IsChosen() || ref.ChosenCopy() != "" {
		t.Error("it is chosen from the start")
	}
	if err := ref.Choose(t.Context(), filepath.Join(t.TempDir(), "nowhere")); err == nil || ref.IsChosen() {
		t.Errorf("a repository that is not there: %v, chosen: %t", err, ref.IsChosen())
	}
	// A helper program is no address of a repository.
	mark := filepath.Join(t.TempDir(), "ran")
	if err := ref.Choose(t.Context(), "ext::sh -c touch% "+mark); err == nil || ref.IsChosen() {
		t.Errorf("a program as the address: %v, chosen: %t", err, ref.IsChosen())
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the address was run")
	}
	ref = chosen(t, origin(t))
	if !ref.IsChosen() || !strings.HasPrefix(ref.ChosenCopy(), ref.Dir) {
		t.Errorf("chosen: %t, the copy is in %q", ref.IsChosen(), ref.ChosenCopy())
	}
	if err := ref.Leave(); err != nil || ref.IsChosen() {
		t.Errorf("after leaving: %v, chosen: %t", err, ref.IsChosen())
	}
}
