package start

import (
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

// The maximum number of lines of words said in passing, and the maximum number of memories of one sort that are given
// to Pack, which is more than fit.
const (
	mostTaskSaid = 2 * mostSaid
	mostOffered  = 40
)

// ForTask returns the sections of a subagent's start: the user's rules, facts for every session, and the memories that
// fit the task, the best first. news removes memories that the conversation was shown, and repetitions.
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
	title := "Kept at the user's request"
	if len(c.MayCorrect) > 0 {
		title += ", and what the user said about it later"
	}
	return []pack.Section{
		{Title: title, Share: shareTaskKept, Items: toolItems(kept, counter)},
		{
			Title: "Said by the user in passing, the newest first", Share: shareTaskSaid, Lines: mostTaskSaid,
			Items: toolItems(rules, counter),
		},
		{
			Title: "Facts for every session, written by a model from the user's words", Share: shareEverywhere,
			Items: factItems(c, everywhere, counter),
		},
		{Title: "Facts that fit this task, written by a model", Share: shareTaskFacts, Items: factItems(c, facts, counter)},
		{Title: "What else may fit this task", Share: shareTaskLog, Items: toolItems(others, counter)},
	}
}

func atMost(memories []memory.Memory) []memory.Memory {
	return memories[:min(len(memories), mostOffered)]
}

func toolItems(memories []memory.Memory, counter memory.TokenCounter) []pack.Item {
	items := make([]pack.Item, 0, len(memories))
	for _, m := range memories {
		items = append(items, pack.NewItem(m.ID, render.ToolLine(m), counter))
	}
	return items
}
