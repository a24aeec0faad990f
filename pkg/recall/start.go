package recall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/quarantine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// The shares of a session's start. Open work and the project's rules come before
// what happened lately; preferences are few and short.
const (
	shareTodos       = 0.25
	shareConventions = 0.35
	shareSummaries   = 0.30
	sharePreferences = 0.10
	shareHeard       = 0.05
)

// maxContextChars keeps clear of the client's limit: context of more than 10,000
// characters is replaced by a 2 KB preview.
const maxContextChars = 9_900

// StartSections arranges what a starting session is given, in order of rank.
func StartSections(c memory.StartContext, counter tokens.Counter) []Section {
	todos, heardTodos := parted(c.Todos)
	conventions, heardConventions := parted(c.Conventions)
	preferences, heardPreferences := parted(c.Preferences)
	heard := slices.Concat(heardTodos, heardConventions, heardPreferences)
	return []Section{
		{Title: "Open todos", Share: shareTodos, Items: memoryItems(todos, counter)},
		{Title: "Project conventions", Share: shareConventions, Items: memoryItems(conventions, counter)},
		{Title: "Recent sessions (records, not the user's words)", Share: shareSummaries, Items: summaryItems(c.Summaries, counter)},
		{Title: "User preferences", Share: sharePreferences, Items: memoryItems(preferences, counter)},
		{Title: "Reported, not agreed on", Share: shareHeard, Items: memoryItems(heard, counter)},
	}
}

// parted takes from memories what is only reported: it is no convention, whatever
// its kind says, and comes last.
func parted(memories []memory.Memory) (said, heard []memory.Memory) {
	for _, m := range memories {
		if m.IsHearsay() {
			heard = append(heard, m)
		} else {
			said = append(said, m)
		}
	}
	return said, heard
}

// CompactSections arranges what a session is given after its compaction: first
// what the compaction may have dropped of this session, then what a start gives.
func CompactSections(a memory.Activity, c memory.StartContext, counter tokens.Counter) []Section {
	sections := StartSections(c, counter)
	snapshot := Section{Title: "This session before its compaction (records)", Share: shareSnapshot}
	for i, told := range snapshotLines(a) {
		id, line := told.memory, told.line
		if id == "" {
			id = fmt.Sprint("snapshot-", i)
		}
		snapshot.Items = append(snapshot.Items, Item{ID: id, Line: func() string { return line }, Tokens: counter.Count(line)})
	}
	return append([]Section{snapshot}, sections...)
}

// shareSnapshot is as much as all other sections together.
const shareSnapshot = 1.0

// maxSnapshotPrompts bounds what is quoted of the prompts: the open task is in
// the last ones.
const maxSnapshotPrompts = 3

// snapshotLine is a line of what happened in a session.
type snapshotLine struct {
	memory string // the id of the memory whose content it is; else empty
	line   string
}

func snapshotLines(a memory.Activity) []snapshotLine {
	var lines []snapshotLine
	for _, p := range slices.Backward(a.Prompts[max(0, len(a.Prompts)-maxSnapshotPrompts):]) {
		lines = append(lines, snapshotLine{line: render.Item(fmt.Sprintf("Prompt %d: %s", p.Number, p.Text))})
	}
	var files []string
	var told []snapshotLine
	for _, seen := range slices.Backward(a.Seen) {
		switch m := seen.Memory; m.Kind {
		case memory.KindEdit:
			files = append(files, m.Files...)
		case memory.KindFix, memory.KindFailure, memory.KindDecision, memory.KindDiscovery, memory.KindTask:
			if m.Status != memory.StatusQuarantined {
				told = append(told, snapshotLine{m.ID, render.Line(m)})
			}
		default:
		}
	}
	if files = unique(files, func(file string) string { return file }); len(files) > 0 {
		lines = append(lines, snapshotLine{line: render.Item("Files touched: " + strings.Join(files, ", "))})
	}
	lines = append(lines, unique(told, func(l snapshotLine) string { return l.line })...)
	for _, m := range slices.Backward(a.Moments) {
		if (m.Kind == memory.EventCompacting || m.Kind == memory.EventTurnEnded) && m.Text != "" {
			return append(lines, snapshotLine{line: render.Item("The assistant's last words: " + quarantine.Withhold(m.Text))})
		}
	}
	return lines
}

// unique leaves the first of those with the same text.
func unique[T any](all []T, textOf func(T) string) []T {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(one T) bool {
		text := textOf(one)
		if seen[text] {
			return true
		}
		seen[text] = true
		return false
	})
}

// PackSections packs what is put before the model at one time. The budget is
// divided by safetyFactor, which is at least 1.
func PackSections(sections []Section, budget int, safetyFactor float64, counter tokens.Counter) Packed {
	return Pack(sections, Limits{Tokens: int(float64(budget) / safetyFactor), Chars: maxContextChars}, counter)
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
