package start_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/start"
)

func day(n int) time.Time { return time.Date(2026, 1, n, 12, 0, 0, 0, time.UTC) }

func rule(content string, on int, importance float64) memory.Memory {
	return memory.Memory{
		ID: content, Kind: memory.KindConvention, Source: memory.SourceUser, Content: content, LastSeenAt: day(on), Importance: importance,
	}
}

// A start shows recent statements before older ones of the same importance; inactive
// days do not age memories, and pinned memories do not age.
func TestAStartListsImportantAndRecentMemoriesFirst(t *testing.T) {
	pinned := rule("pinned", 1, 0.5)
	pinned.Pinned = true
	asked := rule("asked", 2, 0.8)
	asked.Asked = true
	rows := memory.StartContext{
		Conventions: []memory.Memory{asked, rule("weak", 20, 0.1), rule("lately", 20, 0.6), rule("before", 19, 0.6), pinned},
		Summaries: []memory.Session{
			{ID: "a", LastEventAt: day(20), Summary: memory.Summary{Text: `2026-01-20 10:00 UTC: asked "why?"; edited a.go; ended with: It is fixed.`}},
			{ID: "n", LastEventAt: day(20), Summary: memory.Summary{Text: `2026-01-20 11:00 UTC: asked "always run make check".`}},
		},
	}
	c := counter(t)
	got := packed(start.Sections(rows, c), 800, c).Text
	want := `<surrealdb-memory>
` + memory.Preamble + `
## Kept at the user's request
- [pinned convention, 1 Jan] pinned
- [asked convention, 2 Jan] asked
## From the user's earlier prompts
- [lately convention, 20 Jan] lately
- [before convention, 19 Jan] before
- [weak convention, 20 Jan] weak
## Where the last session stopped (a record)
- “2026-01-20 10:00 UTC: asked "why?"; edited a.go; ended with: It is fixed.”
</surrealdb-memory>
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// However many sessions there were, a start has the last one.
func TestAStartHasTheLastSession(t *testing.T) {
	var rows memory.StartContext
	for i := range 9 {
		text := day(i+1).Format("2006-01-02 15:04 UTC") + `: asked "why?"; ended with: It is fixed.`
		rows.Summaries = append(rows.Summaries, memory.Session{ID: text, LastEventAt: day(i + 1), Summary: memory.Summary{Text: text}})
	}
	c := counter(t)
	text := packed(start.Sections(rows, c), 4000, c)
	if len(text.IDs) != 1 {
		t.Errorf("%d sessions in %d tokens", len(text.IDs), text.Tokens)
	}
}
