package start_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/start"
)

// TestAPassingStateLosesItsPlace: a todo or a passing state is at starts until ten later sessions have left
// facts, or for two weeks of the project; rules, and memories that are pinned or were seen again, stay.
func TestAPassingStateLosesItsPlace(t *testing.T) {
	const red = "Three tests fail on master."
	first := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	old := func(kind memory.Kind, content string) memory.Memory {
		return memory.Memory{ID: "old", Kind: kind, Content: content, Session: "first", LastSeenAt: first}
	}
	pinned, again := old(memory.KindTodo, "Rename the label."), old(memory.KindTodo, "Rename the label.")
	pinned.Pinned, again.LastSeenAt = true, first.Add(2*time.Hour)
	titled := old(memory.KindDiscovery, "The importer was split in two.")
	titled.Title = "Import tests still fail"
	for _, one := range []struct {
		name   string
		fact   memory.Memory
		later  int           // sessions
		apart  time.Duration // between two of them
		stands bool
	}{
		{"a todo, nine sessions later", old(memory.KindTodo, "Rename the label."), 9, time.Hour, true},
		{"a todo, ten sessions later", old(memory.KindTodo, "Rename the label."), 10, time.Hour, false},
		{"a todo, two weeks later", old(memory.KindTodo, "Rename the label."), 1, 14 * 24 * time.Hour, false},
		{"a todo, a day less", old(memory.KindTodo, "Rename the label."), 1, 13 * 24 * time.Hour, true},
		{"a todo, and nothing since", old(memory.KindTodo, "Rename the label."), 0, 0, true},
		{"a pinned todo", pinned, 30, time.Hour, true},
		{"a todo that was seen again", again, 11, time.Hour, true},
		{"a state", old(memory.KindNote, red), 10, time.Hour, false},
		{"a state by its title", titled, 10, time.Hour, false},
		{"a rule in such words", old(memory.KindConvention, "Never rebase while tests fail on master."), 30, time.Hour, true},
		{"a cause", old(memory.KindDiscovery, "go run fails outside the module."), 30, time.Hour, true},
	} {
		facts := []memory.Memory{one.fact}
		for i := range one.later {
			at := first.Add(time.Duration(i+1) * one.apart)
			facts = append(facts, memory.Memory{
				ID: fmt.Sprint("later ", i), Kind: memory.KindConvention, Content: "A rule.", Session: fmt.Sprint("later ", i), LastSeenAt: at,
			})
		}
		got := start.WithBestFacts(memory.StartContext{Facts: facts}, nil)
		if stands := slices.ContainsFunc(got.Facts, func(m memory.Memory) bool { return m.ID == "old" }); stands != one.stands {
			t.Errorf("%s: at the start %t, not %t", one.name, stands, one.stands)
		}
		for _, area := range got.Areas {
			if area.LeftOut != 0 {
				t.Errorf("%s: %+v counts memories without a place", one.name, area)
			}
		}
	}
}
