package importer_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

var alpha = memory.Project{Key: "github.com/dev/alpha", Name: "alpha", Root: "/home/dev/alpha"}

// copied is a copy of a file or folder of testdata, with a date of its own.
func copied(t *testing.T, path ...string) string {
	t.Helper()
	from, to := testdata(path...), filepath.Join(t.TempDir(), filepath.Base(path[len(path)-1]))
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else {
		var data []byte
		if data, err = os.ReadFile(from); err == nil {
			err = os.WriteFile(to, data, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}

var written = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

func date(t *testing.T, file string, at time.Time) {
	t.Helper()
	musttest.Do(t, os.Chtimes(file, at, at))
}

func memoriesOf(events []memory.Event) []memory.Memory {
	var all []memory.Memory
	for _, e := range events {
		if e.Import.Memory != nil {
			all = append(all, *e.Import.Memory)
		}
	}
	return all
}

func contents(memories []memory.Memory) []string {
	var all []string
	for _, m := range memories {
		all = append(all, m.Content)
	}
	return all
}

// TestEachEntryOfClaudeMDIsAPinnedConvention, in that of the user a preference.
func TestEachEntryOfClaudeMDIsAPinnedConvention(t *testing.T) {
	file := copied(t, "CLAUDE.md")
	date(t, file, written)
	memories := memoriesOf(musttest.Get(importer.ClaudeMD(file, alpha, false))(t))
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
	musttest.Same(t, want, contents(memories), "conventions (-want +got)")
	for _, m := range memories {
		if m.Kind != memory.KindConvention || !m.Pinned || !m.CreatedAt.Equal(written) {
			t.Errorf("%q is a %s, pinned %t, of %s", m.Content, m.Kind, m.Pinned, m.CreatedAt)
		}
	}
	users := memoriesOf(musttest.Get(importer.ClaudeMD(file, memory.Project{}, true))(t))
	musttest.Same(t, want, contents(users), "preferences (-want +got)")
	if m := users[0]; m.Kind != memory.KindPreference || !m.Pinned || m.Project != "" {
		t.Errorf("it is a %s of %q, pinned %t", m.Kind, m.Project, m.Pinned)
	}
}

func TestEachEntryOfAutoMemoryIsAFact(t *testing.T) {
	events, _, err := importer.AutoMemory(copied(t, "projects", "-home-dev-project", "memory"), alpha)
	if err != nil {
		t.Fatal(err)
	}
	memories := memoriesOf(events)
	want := []string{
		"[Gone](gone.md) — this file is not there any more",
		"The staging database is wiped every Sunday",
		"Testing: Always: run `make check` before a commit",
		"Testing: Always: keep the golden files under review",
		"Releases go to staging first. **Why:** the September outage. **How to apply:** never skip staging, see docs/deploy.md.",
		"Prefers table-driven tests. password=[redacted:password] .",
	}
	musttest.Same(t, want, contents(memories), "notes (-want +got)")
	musttest.Same(t, []string{"auto-memory", "feedback"}, memories[5].Tags, "tags (-want +got)")
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

// TestTheBlockOfRulesIsNotImported: its memories are there.
func TestTheBlockOfRulesIsNotImported(t *testing.T) {
	file := filepath.Join(t.TempDir(), "CLAUDE.md")
	const text = "- use tabs\n\n<!-- surrealdb-memory:rules -->\n- the port is 6543 <!-- 0123456789ab -->\n<!-- /surrealdb-memory:rules -->\n"
	musttest.Do(t, os.WriteFile(file, []byte(text), 0o600))
	events, err := importer.ClaudeMD(file, alpha, false)
	if got := contents(memoriesOf(events)); err != nil || len(got) != 1 || got[0] != "use tabs" {
		t.Errorf("%q, %v", got, err)
	}
}
