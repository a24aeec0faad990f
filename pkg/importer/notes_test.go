package importer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func noteMemory(content string, day int) memory.Memory {
	at := time.Date(2026, 11, day, 9, 0, 0, 0, time.UTC)
	return memory.Memory{
		ID: memory.NewID(memory.ScopeProject, "p", content), Project: "p", Scope: memory.ScopeProject, Kind: memory.KindConvention,
		Content: content, Importance: 0.8, CreatedAt: at, LastSeenAt: at, Source: memory.SourceUser,
	}
}

func TestANoteFileReadsWell(t *testing.T) {
	pinned := noteMemory("every file in `db/migrations/` begins with its number", 21)
	pinned.Pinned, pinned.Files, pinned.Tags = true, []string{"db/migrations"}, []string{"data base"}
	decided := noteMemory("we deploy through staging", 20)
	decided.Kind, decided.Source = memory.KindDecision, ""
	page, _, redacted := importer.Notes(memory.Project{Key: "p", Name: "shop"}, []memory.Memory{decided, pinned, noteMemory("[ ] the token is sk_live_"+strings.Repeat("4eC39HqLyjWDarjtT1zdp7dc", 1), 22)})
	if redacted != 1 {
		t.Errorf("redacted %d, want the secret", redacted)
	}
	text := string(page)
	lines := strings.Split(text, "\n")
	want := []string{
		"# shop", "", "A change here changes nothing in the memory: `memory edit ID --content TEXT` does.", "", "## convention", "",
		lines[6], "    - 2026-11-22, importance 0.8, source user",
		"- every file in `db/migrations/` begins with its number ^" + memory.ShortID(pinned.ID),
		"    - 2026-11-21, importance 0.8, pinned, source user, [[db/migrations]], #data-base",
		"", "## decision", "", "- we deploy through staging ^" + memory.ShortID(decided.ID), "    - 2026-11-20, importance 0.8", "",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if strings.Contains(text, "4eC39") || !strings.HasPrefix(lines[6], "- [ ] the token is ") {
		t.Errorf("the secret: %q", lines[6])
	}
}

// A memory of which redaction leaves nothing is on no page.
func TestAPrivateMemoryIsNotOnItsPage(t *testing.T) {
	page, written, _ := importer.Notes(memory.Project{Key: "p", Name: "shop"}, []memory.Memory{noteMemory("<private>the door code is 4711</private>", 22), noteMemory("the port is 6543", 23)})
	if written != 1 || strings.Count(string(page), "\n- ") != 1 || !strings.Contains(string(page), "6543") {
		t.Errorf("%d memories are on the page\n%s", written, page)
	}
}
