package importer_test

import (
	"errors"
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

func TestEachEntryOfClaudeMDIsAPinnedConvention(t *testing.T) {
	file := copied(t, "CLAUDE.md")
	date(t, file, written)
	events := musttest.Get(importer.ClaudeMD(file, alpha, false))(t)
	memories := memoriesOf(events)
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
}

func TestAnEditedClaudeMDOnlyAddsWhatIsNew(t *testing.T) {
	a, file := newDaemon(t), copied(t, "CLAUDE.md")
	date(t, file, written)
	importFile := func() importer.Report {
		t.Helper()
		events := musttest.Get(importer.ClaudeMD(file, alpha, false))(t)
		return put(t, a, events...)
	}
	first := importFile()
	before := stats(t, a)
	if first.Added != 8 || before.Memories != 8 || before.Sightings != 8 {
		t.Fatalf("added %d, %+v", first.Added, before)
	}
	if again := importFile(); again.Added != 0 || stats(t, a) != before {
		t.Errorf("once more: added %d, %+v", again.Added, stats(t, a))
	}
	text := musttest.Get(os.ReadFile(file))(t)
	musttest.Do(t, os.WriteFile(file, append(text, "\nA new rule.\n"...), 0o600))
	date(t, file, written.Add(time.Hour))
	if edited := importFile(); edited.Added != 1 || stats(t, a).Memories != 9 || stats(t, a).Sightings != 9 {
		t.Errorf("edited: added %d, %+v", edited.Added, stats(t, a))
	}
	start := musttest.Get(a.Briefing.StartOf(t.Context(), alpha.Key, ""))(t)
	if len(start.Statements) != 9 || len(start.Summaries) != 0 {
		t.Errorf("a session starts with %d statements and %d summaries", len(start.Statements), len(start.Summaries))
	}
}

func TestTheUsersClaudeMDIsPreferences(t *testing.T) {
	a := newDaemon(t)
	events := musttest.Get(importer.ClaudeMD(copied(t, "CLAUDE.md"), memory.Project{}, true))(t)
	put(t, a, events...)
	start, err := a.Briefing.StartOf(t.Context(), "any", "")
	if err != nil || len(start.Statements) != 8 || !start.Statements[0].Pinned || start.Statements[0].Kind != memory.KindPreference || stats(t, a).Projects != 0 {
		t.Errorf("a session of any project starts with %d statements, %v; %+v", len(start.Statements), err, stats(t, a))
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

func TestAFileThatCannotBeReadIsNamed(t *testing.T) {
	dir := t.TempDir()
	if _, err := importer.ClaudeMD(filepath.Join(dir, "CLAUDE.md"), alpha, false); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := importer.ClaudeMD(dir, alpha, false); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("a folder: %v", err)
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
