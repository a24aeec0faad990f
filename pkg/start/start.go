// Package start arranges the lines of a session's start: rules, facts, todos, preferences
// and earlier sessions, by their worth. It is pure. It does not decide how many of them
// fit; package pack does.
package start

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
)

// The shares of the sections. Rules that the user asked to keep come before all else, then
// the facts; a share that a section does not need goes to those above it, and then down again.
const (
	shareKept    = 0.5
	shareFacts   = 0.34
	shareGuesses = 0.04
	shareNoted   = 0.02
	shareTodos   = 0.04
	shareLast    = 0.04
	shareHeard   = 0.02
)

// The most lines of sections in which few lines help. Of the statements that rules guessed from
// prompts, the best six at a start helped more than three times as often as the following ones
// (docs/lab/facts.md).
const mostGuesses = 6

// Sections arranges the context of a starting session, in order of rank. Where there are
// facts, they stand in place of the log.
func Sections(c memory.StartContext, counter memory.TokenCounter) []pack.Section {
	o := newOrder(c)
	todos, heardTodos := parted(o.sorted(c.Todos))
	rules, heardRules := parted(o.sorted(lasting(slices.Concat(c.Conventions, c.Preferences))))
	noted, reported := apart(slices.Concat(heardTodos, heardRules))
	kept, guesses := asked(rules)
	todos, _ = asked(todos)
	return []pack.Section{
		{Title: "Kept at the user's request", Share: shareKept, Items: o.items(kept, counter)},
		factSection(c, shareFacts, counter),
		{Title: "From the user's earlier prompts", Share: shareGuesses, Lines: mostGuesses, Items: o.items(guesses, counter)},
		{Title: "Noted by the assistant", Share: shareNoted, Items: o.items(noted, counter)},
		{Title: "Open todos", Share: shareTodos, Items: o.items(todos, counter)},
		{Title: "Where the last session stopped (a record)", Share: shareLast, Lines: 1, Items: summaryItems(c.Summaries, counter)},
		{Title: "Reported, not agreed on", Share: shareHeard, Items: o.items(reported, counter)},
	}
}

// asked separates the memories that somebody asked to keep from those that a rule guessed.
func asked(memories []memory.Memory) (kept, guesses []memory.Memory) {
	for _, m := range memories {
		if isGuessed(m) {
			guesses = append(guesses, m)
		} else {
			kept = append(kept, m)
		}
	}
	return kept, guesses
}

// parted separates the user's words from other statements, which are no rules, whatever their kind, and
// come last.
func parted(memories []memory.Memory) (stated, heard []memory.Memory) {
	for _, m := range memories {
		if m.IsUsersWord() {
			stated = append(stated, m)
		} else {
			heard = append(heard, m)
		}
	}
	return stated, heard
}

// apart separates the memories that the assistant or an import stored from mere reports.
func apart(heard []memory.Memory) (noted, reported []memory.Memory) {
	for _, m := range heard {
		if m.IsHearsay() {
			reported = append(reported, m)
		} else {
			noted = append(noted, m)
		}
	}
	return noted, reported
}

// CompactSections arranges the context of a session after its compaction: first the
// memories of this session, which the compaction may have dropped, then the sections of a
// start without these.
func CompactSections(a memory.SessionRecord, c memory.StartContext, counter memory.TokenCounter) []pack.Section {
	snapshot := pack.Section{Title: "This session before its compaction (records)", Share: shareSnapshot}
	shown := map[string]bool{}
	for i, one := range snapshotLines(a) {
		id := cmp.Or(one.memory, fmt.Sprint("snapshot-", i))
		shown[id] = true
		snapshot.Items = append(snapshot.Items, pack.NewItem(id, one.line, counter))
	}
	for _, list := range []*[]memory.Memory{&c.Todos, &c.Conventions, &c.Preferences, &c.Facts} {
		*list = slices.DeleteFunc(slices.Clone(*list), func(m memory.Memory) bool { return shown[m.ID] })
	}
	return append([]pack.Section{snapshot}, Sections(c, counter)...)
}

// shareSnapshot is as large as the shares of all other sections together.
const shareSnapshot = 1.0

// maxSnapshotPrompts bounds the quoted prompts: the last ones contain the open task.
// maxSnapshotPrompt bounds each, in bytes, so that all of them have room.
const (
	maxSnapshotPrompts = 3
	maxSnapshotPrompt  = 800
)

// snapshotLine is a line about this session.
type snapshotLine struct {
	memory string // the id of the memory that it shows; else empty
	line   string
}

func snapshotLines(a memory.SessionRecord) []snapshotLine {
	var lines []snapshotLine
	for _, p := range a.Prompts[max(0, len(a.Prompts)-maxSnapshotPrompts):] {
		lines = append(lines, snapshotLine{line: render.Item(fmt.Sprintf("Prompt %d: ", p.Number),
			memory.CutWords(p.Text, maxSnapshotPrompt))})
	}
	var files []string
	var actions []snapshotLine
	for _, seen := range slices.Backward(a.Seen) {
		switch m := seen.Memory; m.Kind {
		case memory.KindEdit:
			files = append(files, m.Files...)
		case memory.KindFix, memory.KindFailure, memory.KindDecision, memory.KindDiscovery, memory.KindTask:
			if m.Status != memory.StatusQuarantined {
				actions = append(actions, snapshotLine{m.ID, render.ToolLine(m)})
			}
		default:
		}
	}
	if files = unique(files, func(file string) string { return file }); len(files) > 0 {
		lines = append(lines, snapshotLine{line: render.Item("Files touched: ", strings.Join(files, ", "))})
	}
	lines = append(lines, unique(actions, func(l snapshotLine) string { return l.line })...)
	for _, m := range slices.Backward(a.SessionEvents) {
		if (m.Kind == memory.EventCompacting || m.Kind == memory.EventTurnEnded) && m.Text != "" {
			return append(lines, snapshotLine{line: render.Item("The assistant's last words: ", m.Text)})
		}
	}
	return lines
}

// unique keeps the first of the elements with the same text.
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

// cameToNothing reports whether a digest has only the request: a rule that was stated in it is a line of its
// own.
func cameToNothing(digest string) bool {
	const date = len("2006-01-02 15:04 UTC")
	text := digest[min(date, len(digest)):]
	begun, isAsked := strings.CutPrefix(text, `: asked "`)
	return isAsked && !strings.Contains(begun, `"; `)
}

func summaryItems(sessions []memory.Session, counter memory.TokenCounter) []pack.Item {
	items := make([]pack.Item, 0, len(sessions))
	for _, s := range sessions {
		if s.Summary.Text == "" || cameToNothing(s.Summary.Text) {
			continue
		}
		items = append(items, pack.NewItem(s.ID, render.SummaryLine(s.Summary.Text), counter))
	}
	return items
}
