package memory_test

import (
	"slices"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestAStartHasTheBestOfEachSort: the user's words are before all else in their sort, and no number of others hides one.
func TestAStartHasTheBestOfEachSort(t *testing.T) {
	of := func(id string, kind memory.Kind, project string, importance float64, day int) memory.Memory {
		return memory.Memory{ID: id, Kind: kind, Project: project, Importance: importance, Source: memory.SourceUser, LastSeenAt: time.Unix(int64(day)*86400, 0)}
	}
	by := func(source memory.Source, title string, m memory.Memory) memory.Memory {
		m.Source, m.Title = source, title
		return m
	}
	all := []memory.Memory{
		of("old rule", memory.KindConvention, "p", 0.5, 1), of("new rule", memory.KindNote, "", 0.5, 2), of("great rule", memory.KindDecision, "p", 0.9, 1),
		by(memory.SourceAssistant, "", of("theirs", memory.KindCorrection, "p", 1, 9)), of("of the project", memory.KindPreference, "p", 0.1, 1),
		of("todo", memory.KindTodo, "p", 0.1, 1), of("todo of the user", memory.KindTodo, "", 0.2, 1), of("of the user", memory.KindPreference, "", 0.1, 1),
		of("fix", memory.KindFix, "p", 1, 9), of("finding", memory.KindDiscovery, "p", 1, 9),
		by(memory.SourceAssistant, "b", of("fact b", memory.KindFix, "p", 1, 9)), by(memory.SourceAssistant, "a", of("fact a", memory.KindTodo, "p", 1, 1)),
	}
	for _, test := range []struct {
		limit int
		want  []string
	}{
		{10, []string{"great rule", "new rule", "old rule", "of the project", "theirs", "todo of the user", "todo", "of the user"}},
		{1, []string{"great rule", "todo of the user", "of the user"}},
	} {
		for range 2 {
			got := memory.NewStart(all, nil, test.limit)
			musttest.Same(t, test.want, idsOf(got.Statements), "up to %d statements", test.limit)
			musttest.Same(t, []string{"fact a", "fact b"}, idsOf(got.Facts), "facts")
			slices.Reverse(all)
		}
	}
}

func idsOf(memories []memory.Memory) (ids []string) {
	for _, m := range memories {
		ids = append(ids, m.ID)
	}
	return ids
}
