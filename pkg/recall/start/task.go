package start

import (
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
)

// The budget shares of a subagent's start. A subagent sees nothing of its parent's context.
const (
	shareTaskUsers  = 0.45
	shareEverywhere = 0.1
	shareTaskFacts  = 0.35
	shareTaskLog    = 0.1
)

// The most lines of words said in passing, and the most memories of one sort that Pack gets, which is more than fit.
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
	return []pack.Section{
		taskUsersSection(kept, rules, counter),
		{
			Title: "Facts for every session, written by a model from the user's words", Share: shareEverywhere,
			Items: factItems(c, everywhere, counter),
		},
		{Title: "Facts that fit this task, written by a model", Share: shareTaskFacts, Items: factItems(c, facts, counter)},
		{Title: "What else may fit this task", Share: shareTaskLog, Items: toolItems(others, counter)},
	}
}

// taskUsersSection returns the section of the user's words, the newest first. Room goes first to a few words that were said in passing or fit the
// task, then to what the user asked to keep.
func taskUsersSection(kept, rules []memory.Memory, counter memory.TokenCounter) pack.Section {
	all := slices.Concat(rules[:min(len(rules), mostTaskSaid)], kept)
	return pack.Section{Title: usersTitle, Share: shareTaskUsers, ByPlace: true, Items: newestFirst(toolItems(all, counter), all)}
}

func atMost(memories []memory.Memory) []memory.Memory {
	return memories[:min(len(memories), mostOffered)]
}

func toolItems(memories []memory.Memory, counter memory.TokenCounter) []pack.Item {
	return memory.Each(memories, func(m memory.Memory) pack.Item { return pack.NewItem(m.ID, render.ToolLine(m), counter) })
}
