package recall_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// After any sequence of changes an index equals the one it should be.
func TestNoDifferencesAfterAnyHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kept := anyEntries(t)
		x := indexOf(rapid.Permutation(kept).Draw(t, "order"))
		for i := range rapid.IntRange(0, 8).Draw(t, "passing entries") {
			e := anyEntry(t, 100+i)
			x.Put(e)
			x.Remove(e.Memory.ID)
		}
		for i := range kept {
			if rapid.Bool().Draw(t, "changed") {
				kept[i].Memory.Content += " database"
				x.Put(kept[i])
			}
			kept[i].Memory.CreatedAt = kept[i].Memory.CreatedAt.In(time.FixedZone("elsewhere", 3600))
			if len(kept[i].Memory.Tags) == 0 {
				kept[i].Memory.Tags = []string{}
			}
		}
		if found := x.Differences(kept); len(found) > 0 {
			t.Errorf("differences: %v", found)
		}
	})
}

func TestEveryDifferenceIsReported(t *testing.T) {
	entries := []recall.Entry{note("a", "the staging database"), note("b", "labels in Hamburg"), note("c", "ledger")}
	for name, c := range map[string]struct {
		change func(e *recall.Entry)
		text   string
	}{
		"content":       {func(e *recall.Entry) { e.Memory.Content = "the production database" }, "memory.content"},
		"status":        {func(e *recall.Entry) { e.Memory.Status = "archived" }, "memory.status"},
		"importance":    {func(e *recall.Entry) { e.Memory.Importance = 0.9 }, "memory.importance"},
		"seen":          {func(e *recall.Entry) { e.Memory.LastSeenAt = epoch.Add(time.Nanosecond) }, "memory.last_seen_at"},
		"files":         {func(e *recall.Entry) { e.Memory.Files = []string{"a.go"} }, "memory.files"},
		"superseded by": {func(e *recall.Entry) { e.SupersededBy = "b" }, "superseded_by"},
		"offered":       {func(e *recall.Entry) { e.Offered = true }, "offered"},
		"session":       {func(e *recall.Entry) { e.Memory.Session = "s" }, "memory.session"},
	} {
		stored := append([]recall.Entry{}, entries...)
		c.change(&stored[0])
		found := indexOf(entries).Differences(stored)
		if len(found) != 1 || found[0].ID != "a" || !strings.Contains(found[0].Problem, c.text) {
			t.Errorf("%s: %v", name, found)
		}
	}
	found := indexOf(entries[:2]).Differences(entries[1:])
	if len(found) != 2 || found[0].ID != "a" || !strings.Contains(found[0].Problem, "not in the store") ||
		found[1].ID != "c" || !strings.Contains(found[1].Problem, "not in the index") {
		t.Errorf("one too many and one missing: %v", found)
	}
}
