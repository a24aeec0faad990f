package start

import (
	"math"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
)

// The budget shares of a subagent's start. A subagent sees nothing of its parent's context.
const (
	shareTaskKept   = 0.3
	shareTaskSaid   = 0.15
	shareEverywhere = 0.1
	shareTaskFacts  = 0.35
	shareTaskLog    = 0.1
)

// The most lines of the user's words said in passing, and the most memories of a sort that are offered to the
// packing, more than fit.
const (
	mostTaskSaid = 2 * mostSaid
	mostOffered  = 40
)

// ForTask returns the sections of a subagent's start: the user's rules, facts for every session, the memories that
// fit the task, the best first, and the names of other facts in the same areas. news removes memories that the
// conversation was shown, and repetitions.
func ForTask(
	c memory.StartContext, fitting []memory.Memory, news func([]memory.Memory) []memory.Memory, counter memory.TokenCounter,
) []pack.Section {
	stated, _ := parted(byDay(c.Statements), func(m memory.Memory) bool { return m.IsUsersWord() && m.Kind != memory.KindTodo })
	kept, said := keptAndSaid(c, stated)
	var rules, facts, others, everywhere []memory.Memory
	for _, m := range fitting {
		switch {
		case m.IsUsersWord():
			rules = append(rules, m)
		case m.IsFact():
			facts = append(facts, m)
		default:
			others = append(others, m)
		}
	}
	for _, m := range c.Facts {
		if (m.Everywhere && m.RestsOnUser() || m.IsSaidAgain()) && !slices.ContainsFunc(facts, func(fits memory.Memory) bool { return fits.ID == m.ID }) {
			everywhere = append(everywhere, m)
		}
	}
	kept, rules = news(atMost(kept)), news(append(rules, atMost(said)...))
	everywhere, facts, others = news(atMost(everywhere)), news(facts), news(others)
	return []pack.Section{
		{Title: "Kept at the user's request", Share: shareTaskKept, Items: toolItems(kept, counter)},
		{
			Title: "Said by the user in passing, the newest first", Share: shareTaskSaid, Lines: mostTaskSaid,
			Items: toolItems(rules, counter),
		},
		{
			Title: "Facts for every session, written by a model from the user's words", Share: shareEverywhere,
			Items: factItems(c, everywhere, counter),
		},
		taskFacts(c, facts, everywhere, counter),
		{Title: "What else may fit this task", Share: shareTaskLog, Items: toolItems(others, counter)},
	}
}

func atMost(memories []memory.Memory) []memory.Memory {
	return memories[:min(len(memories), mostOffered)]
}

// taskFacts returns the section that shows the fitting facts in full and names the other facts of their areas.
func taskFacts(c memory.StartContext, fitting, given []memory.Memory, counter memory.TokenCounter) pack.Section {
	s := pack.Section{
		Title: "Facts that fit this task, written by a model", Share: shareTaskFacts,
		Items: factItems(c, fitting, counter),
	}
	areas := map[string]bool{}
	for _, m := range fitting {
		areas[areaOf(m)] = true
	}
	s.Index = &pack.Index{Title: namesTitle, Full: math.MaxInt}
	for _, area := range c.Areas {
		if areas[area.Name] {
			s.Index.Areas = append(s.Index.Areas, pack.Area(area))
		}
	}
	there := map[string]bool{}
	for _, m := range slices.Concat(fitting, given) {
		there[m.ID] = true
	}
	for _, item := range factItems(c, c.Facts, counter) {
		if areas[item.Area] && !there[item.ID] {
			item.Line, item.Tokens = "", 0
			s.Items = append(s.Items, item)
		}
	}
	return s
}

func toolItems(memories []memory.Memory, counter memory.TokenCounter) []pack.Item {
	items := make([]pack.Item, 0, len(memories))
	for _, m := range memories {
		items = append(items, pack.NewItem(m.ID, render.ToolLine(m), counter))
	}
	return items
}
