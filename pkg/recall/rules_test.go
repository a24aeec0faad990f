package recall_test

import (
	"slices"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

func saidRule(id, content string, change func(*recall.Entry)) recall.Entry {
	e := note(id, content)
	e.Memory.Kind, e.Memory.Source = memory.KindConvention, memory.SourceUser
	if change != nil {
		change(&e)
	}
	return e
}

// A rule that the user stated about tests is injected when a file is made in a folder of tests, although its
// path shares no word with it.
func TestRulesAreForTheWorkOfTheFolder(t *testing.T) {
	x := indexOf([]recall.Entry{
		saidRule("weak", "tests run in parallel", func(e *recall.Entry) { e.Memory.Importance = 0.3 }),
		saidRule("strong", "no mocks of the database in tests", func(e *recall.Entry) { e.Memory.Importance = 0.8 }),
		saidRule("old", "tests must not sleep", func(e *recall.Entry) {
			e.Memory.Importance, e.Memory.LastSeenAt = 0.7, epoch.Add(-90*24*time.Hour)
		}),
		saidRule("fourth", "tests have no names of people", func(e *recall.Entry) { e.Memory.Importance = 0.1 }),
		saidRule("from a report", "the tests pass", func(e *recall.Entry) { e.Memory.Source = memory.SourceAssistant }),
		saidRule("a task", "write the tests of the mailer", func(e *recall.Entry) { e.Memory.Kind = memory.KindTodo }),
		saidRule("gone", "tests use the old runner", func(e *recall.Entry) { e.SupersededBy = "strong" }),
		saidRule("pinned", "the README has no badges", func(e *recall.Entry) { e.Memory.Pinned = true }),
	})
	for file, want := range map[string][]string{
		"tests/export.go":  {"strong", "old", "weak"},
		"docs/export.md":   {"pinned"},
		"gateway/main.go":  {},
		"tests/docs/it.md": {"pinned", "strong", "old"},
	} {
		if got := ids(x.Rules(file)); !slices.Equal(got, want) {
			t.Errorf("%q is given %v, want %v", file, got, want)
		}
	}
}

// A memory that names a file by its path is of no other file that has the end of it.
func TestAPathNamesOneFile(t *testing.T) {
	e := note("web", "the entry is generated")
	e.Memory.Files = []string{"web/src/index.ts"}
	outside := note("outside", "the zone file is shared")
	outside.Memory.Files = []string{"/etc/zones/shop.conf"}
	x := indexOf([]recall.Entry{e, outside})
	for file, want := range map[string]int{
		"web/src/index.ts": 1, "packages/web/src/index.ts": 1, "index.ts": 0, "src/index.ts": 0, "api/src/index.ts": 0, "/etc/zones/shop.conf": 1,
	} {
		if got := len(x.File(file)); got != want {
			t.Errorf("%s is named by %d memories, want %d", file, got, want)
		}
	}
}
