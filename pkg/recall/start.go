package recall

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// The shares of a session's start. Open work and the project's rules come before
// what happened lately; preferences are few and short.
const (
	shareTodos       = 0.25
	shareConventions = 0.35
	shareSummaries   = 0.30
	sharePreferences = 0.10
)

// maxContextChars keeps clear of the client's limit: context of more than 10,000
// characters is replaced by a 2 KB preview.
const maxContextChars = 9_900

// StartSections arranges what a starting session is given, in order of rank.
func StartSections(c memory.StartContext, counter tokens.Counter) []Section {
	return []Section{
		{Title: "Open todos", Share: shareTodos, Items: memoryItems(c.Todos, counter)},
		{Title: "Project conventions", Share: shareConventions, Items: memoryItems(c.Conventions, counter)},
		{Title: "Recent sessions", Share: shareSummaries, Items: summaryItems(c.Summaries, counter)},
		{Title: "User preferences", Share: sharePreferences, Items: memoryItems(c.Preferences, counter)},
	}
}

// PackStart packs the context of a starting session. The budget is divided by
// safetyFactor, which is at least 1.
func PackStart(c memory.StartContext, budget int, safetyFactor float64, counter tokens.Counter) Packed {
	limits := Limits{Tokens: int(float64(budget) / safetyFactor), Chars: maxContextChars}
	return Pack(StartSections(c, counter), limits, counter)
}

func memoryItems(memories []memory.Memory, counter tokens.Counter) []Item {
	items := make([]Item, 0, len(memories))
	for _, m := range memories {
		items = append(items, MemoryItem(m, counter))
	}
	return items
}

func summaryItems(sessions []memory.Session, counter tokens.Counter) []Item {
	items := make([]Item, 0, len(sessions))
	for _, s := range sessions {
		items = append(items, SummaryItem(s, counter))
	}
	return items
}
