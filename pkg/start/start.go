// Package start arranges the lines of a session's start: rules, facts, todos, preferences
// and earlier sessions, by their worth. It is pure. It does not decide how many of them
// fit; package pack does.
package start

import (
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// mostFailing is how many commands that keep failing a start tells.
const mostFailing = 2

// maxStartSessions is the number of earlier sessions shown at a start, and
// maxStartSummary the length of each, in bytes: about 60 tokens.
const (
	maxStartSessions = 5
	maxStartSummary  = 240
	maxDigest        = 400 // the bytes of a digest of 60 tokens, which is shown unchanged
)

// Sections arranges the context of a starting session, in order of rank.
func Sections(c memory.StartContext, counter tokens.Counter) []pack.Section {
	o := newOrder(c)
	todos, heardTodos := parted(o.sorted(o.current(c.Todos)))
	rules, heardRules := parted(o.sorted(lasting(c.Conventions)))
	preferences, heardPreferences := parted(o.sorted(lasting(c.Preferences)))
	facts := o.facts(c.Facts)
	noted, reported := apart(slices.Concat(heardTodos, heardRules, heardPreferences))
	share := o.shares(rules, todos, preferences, facts, noted)
	recent, sessions := "Recent sessions (records, not the user's words)", maxStartSessions
	if len(facts) > 0 { // they stand in place of the log
		recent, sessions, c.Failing = "Where the last session stopped (a record)", 1, nil
	}
	return []pack.Section{
		{Title: "What the user said: rules, corrections, decisions", Share: share[0], Items: o.items(rules, counter)},
		factSection(facts, share[3], counter),
		{Title: "What the assistant noted", Share: share[4], Items: o.items(noted, counter)},
		{Title: "Open todos", Share: share[1], Items: o.items(todos, counter)},
		{Title: "User preferences", Share: share[2], Items: o.items(preferences, counter)},
		{Title: recent, Share: shareSummaries, Lines: sessions, Items: summaryItems(c.Summaries, counter)},
		{Title: "Reported, not agreed on", Share: shareHeard, Items: o.items(reported, counter)},
		{Title: "Commands that keep failing (records)", Share: shareFailing, Lines: mostFailing, Items: o.items(o.sorted(c.Failing), counter)},
		{Share: shareTopics, Items: topicItems(c, counter)},
	}
}

// isTools says whether a memory comes from a tool, such as files that change together.
// It is shown when the file is touched, not at a start.
func isTools(m memory.Memory) bool { return m.Source == memory.SourceTool }

// parted separates the user's words from all else, which is no rule, whatever its kind,
// and comes last.
func parted(memories []memory.Memory) (said, heard []memory.Memory) {
	for _, m := range memories {
		if m.IsUsersWord() {
			said = append(said, m)
		} else {
			heard = append(heard, m)
		}
	}
	return said, heard
}

// apart separates the memories that the assistant or an import stored from mere reports,
// and leaves out those of tools.
func apart(heard []memory.Memory) (noted, reported []memory.Memory) {
	for _, m := range heard {
		switch {
		case isTools(m):
		case m.IsHearsay():
			reported = append(reported, m)
		default:
			noted = append(noted, m)
		}
	}
	return noted, reported
}

// CompactSections arranges the context of a session after its compaction: first the
// memories of this session, which the compaction may have dropped, then the sections of a
// start.
func CompactSections(a memory.SessionRecord, c memory.StartContext, counter tokens.Counter) []pack.Section {
	sections := Sections(c, counter)
	snapshot := pack.Section{Title: "This session before its compaction (records)", Share: shareSnapshot}
	for i, told := range snapshotLines(a) {
		id, line := told.memory, told.line
		if id == "" {
			id = fmt.Sprint("snapshot-", i)
		}
		snapshot.Items = append(snapshot.Items, pack.NewItem(id, line, counter))
	}
	return append([]pack.Section{snapshot}, sections...)
}

// shareSnapshot is as large as the shares of all other sections together.
const shareSnapshot = 1.0

// maxSnapshotPrompts bounds the quoted prompts: the last ones contain the open task.
const maxSnapshotPrompts = 3

// snapshotLine is a line about this session.
type snapshotLine struct {
	memory string // the id of the memory that it shows; else empty
	line   string
}

func snapshotLines(a memory.SessionRecord) []snapshotLine {
	var lines []snapshotLine
	for _, p := range slices.Backward(a.Prompts[max(0, len(a.Prompts)-maxSnapshotPrompts):]) {
		lines = append(lines, snapshotLine{line: render.Item(fmt.Sprintf("Prompt %d: ", p.Number), p.Text)})
	}
	var files []string
	var told []snapshotLine
	for _, seen := range slices.Backward(a.Seen) {
		switch m := seen.Memory; m.Kind {
		case memory.KindEdit:
			files = append(files, m.Files...)
		case memory.KindFix, memory.KindFailure, memory.KindDecision, memory.KindDiscovery, memory.KindTask:
			if m.Status != memory.StatusQuarantined {
				told = append(told, snapshotLine{m.ID, render.ToolLine(m)})
			}
		default:
		}
	}
	if files = unique(files, func(file string) string { return file }); len(files) > 0 {
		lines = append(lines, snapshotLine{line: render.Item("Files touched: ", strings.Join(files, ", "))})
	}
	lines = append(lines, unique(told, func(l snapshotLine) string { return l.line })...)
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

// cameToNothing tells that a digest has no more than the request: a rule that was stated
// in it is a line of its own. Long ones, of older versions, may lack even that.
func cameToNothing(digest string) bool {
	const date = len("2006-01-02 15:04 UTC")
	told := digest[min(date, len(digest)):]
	begun, isAsked := strings.CutPrefix(told, `: asked "`)
	if !isAsked {
		return len(digest) > maxDigest && strings.HasPrefix(told, ": ")
	}
	return !strings.Contains(begun, `"; `)
}

func summaryItems(sessions []memory.Session, counter tokens.Counter) []pack.Item {
	items := make([]pack.Item, 0, len(sessions))
	for _, s := range sessions {
		if s.Summary.Text == "" || cameToNothing(s.Summary.Text) {
			continue
		}
		if len(s.Summary.Text) > maxDigest { // an older version made it
			s.Summary.Text = memory.CutWords(s.Summary.Text, maxStartSummary)
		}
		items = append(items, pack.NewItem(s.ID, render.SummaryLine(s.Summary.Text), counter))
	}
	return items
}
