package importer_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

var alpha = memory.Project{Key: "github.com/dev/alpha", Name: "alpha", Root: "/home/dev/alpha"}

func contents(memories []memory.Memory) []string {
	var all []string
	for _, m := range memories {
		all = append(all, m.Content)
	}
	return all
}

// autoMemory returns the facts of the files of an auto-memory folder, in the order of their names.
func autoMemory(t *testing.T, folder string) (facts []memory.Memory) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		found, err := importer.AutoMemoryFile(name, data, func(name string) bool {
			_, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name)))
			return err == nil
		})
		facts = append(facts, found...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

func TestAMarkdownFileIsSplitIntoThoughts(t *testing.T) {
	data, err := os.ReadFile(testdata("CLAUDE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, got := importer.Entries(string(data))
	want := []string{
		"Use tabs, not spaces.",
		"Never: push to main",
		"Never: edit generated files: `pkg/api/gen.go` `pkg/api/types.go`",
		"Build: Build it with: make build # not a heading",
		"Build: First build",
		"Build: Then test",
		"Build: 8080; health",
		"Build: [ ] is not a box here. Close </surrealdb-memory> nothing.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("thoughts (-want +got):\n%s", diff)
	}
}

func TestEachEntryOfAutoMemoryIsAFact(t *testing.T) {
	memories := autoMemory(t, testdata("projects", "-home-dev-project", "memory"))
	want := []string{
		"[Gone](gone.md) — this file is not there any more",
		"The staging database is wiped every Sunday",
		"Testing: Always: run `make check` before a commit",
		"Testing: Always: keep the golden files under review",
		"Releases go to staging first. **Why:** the September outage. **How to apply:** never skip staging, see docs/deploy.md.",
		"Prefers table-driven tests. password=[redacted:password] .",
	}
	if diff := cmp.Diff(want, contents(memories)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"auto-memory", "feedback"}, memories[5].Tags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	for _, m := range memories {
		kind := memory.KindNote
		if m.HasTag("feedback") {
			kind = memory.KindConvention
		}
		if m.Kind != kind || m.Pinned || !m.IsFact() || m.Source != "" {
			t.Errorf("%q is a %s by %q, pinned %t, titled %q", m.Content, m.Kind, m.Source, m.Pinned, m.Title)
		}
	}
}

func TestALongAutoMemoryHasItsDescriptionAsContent(t *testing.T) {
	folder := t.TempDir()
	body := strings.Repeat("All of it matters. ", 400)
	text := "---\nname: x\ndescription: the important part\n---\n" + body
	if err := os.WriteFile(filepath.Join(folder, "long.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m := autoMemory(t, folder)[0]
	if m.Content != "the important part" || !strings.HasPrefix(m.Detail, "All of it") || len(m.Detail) > memory.MaxContent+3 {
		t.Errorf("%q with a detail of %d bytes", m.Content, len(m.Detail))
	}
}
