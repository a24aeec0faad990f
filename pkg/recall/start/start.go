// Package start arranges the sections of a session's start: the user's words, facts and earlier sessions. It is pure.
// It does not decide how many lines fit; package pack does.
package start

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
)

// The budget shares of the sections. The user's words come first, then the facts. A section passes what it does not
// need of its share to the sections above it.
const (
	shareUsers = 0.5
	shareNoted = 0.02
	shareLast  = 0.04
	shareHeard = 0.02
)

// mostSaid is the maximum number of sentences said in passing that a start with facts shows.
const mostSaid = 6

// saidSessions is the number of a project's last sessions from which a start repeats what was said in passing; recall finds
// older words. More sessions gave more lines, of which hardly any helped (docs/lab/recall.md).
const saidSessions = 10

// usersTitle is the heading of the user's words.
const usersTitle = "The user asked to keep this, or said it in passing. Newest first: where two disagree, the newest holds"

// askTitle follows the heading if something was said in passing: the model is to replace such a line by a fact in its words.
const askTitle = ". Store what lasts with store_memory, in the same words, with replaces: its id"

// UsersTokens is the maximum number of tokens of the user's own words in a start (ADR 0024).
const UsersTokens = 1000

// Key is what the text of a start depends on beside its rows. It must have every new input: otherwise the cache answers with the text of another start.
type Key struct {
	asks   bool
	budget int // in tokens
}

// KeyOf returns the key of a start's text. A test compares Key with the fields of memory.StartContext that are not rows.
func KeyOf(rows memory.StartContext, budget int) Key { return Key{rows.Asks, budget} }

// Sections returns the sections of a session's start in their order: the user's words in at most usersTokens (0: any), the
// facts, what the assistant noted, the record of the last session, and what was reported.
func Sections(c memory.StartContext, usersTokens int, counter memory.TokenCounter) []pack.Section {
	// Only the user's words are rules; other statements are not, whatever their kind.
	stated, heard := parted(byDay(c.Statements), memory.Memory.IsUsersWord)
	putPinnedFirst(heard)
	reported, noted := parted(heard, memory.Memory.IsHearsay)
	return []pack.Section{
		usersSection(c, stated, usersTokens, counter),
		factSection(c, counter),
		{Title: "Noted by the assistant", Share: shareNoted, Items: items(c, noted, counter)},
		{Title: "Where the last session stopped (a record)", Share: shareLast, Lines: 1, Items: summaryItems(c.Summaries, counter)},
		{Title: "Reported, not confirmed", Share: shareHeard, Items: items(c, reported, counter)},
	}
}

// firstSaid is the number of the newest sentences said in passing that a start shows however much the user asked to keep.
const firstSaid = 2

// usersSection returns the section of the user's words, the newest first. Room goes first to the newest words said in passing, then to pinned
// words, to words that the user asked to keep, and to other words said in passing.
func usersSection(c memory.StartContext, stated []memory.Memory, most int, counter memory.TokenCounter) pack.Section {
	kept, said := keptAndSaid(c, stated)
	s := pack.Section{Title: usersTitle, Share: shareUsers, Most: most, ByPlace: true, Rest: "- %d older ones are found by search_memories\n"}
	if len(c.Areas) > 0 {
		said, s.Rest = said[:min(len(said), mostSaid)], ""
	}
	isSaid := func(m memory.Memory) bool { return m.Kind == saidKind }
	if c.Asks && (len(said) > 0 || slices.ContainsFunc(kept, isSaid)) {
		s.Title += askTitle
	}
	quoted := quotedAbove(c, slices.Concat(kept, said))
	putPinnedFirst(kept)
	first := min(len(said), firstSaid)
	all := correctionsFirst(c, slices.Concat(said[:first], kept, said[first:], quoted))
	s.Items = newestFirst(items(c, all, counter), all)
	return s
}

// correctionsFirst changes the order in which lines get room. Words that may correct a pinned or repeated fact come to the front, and words that may
// correct a line come directly before that line.
func correctionsFirst(c memory.StartContext, lines []memory.Memory) (ordered []memory.Memory) {
	left := map[string]memory.Memory{}
	for _, m := range lines {
		left[m.ID] = m
	}
	add := func(ids ...string) {
		for _, id := range ids {
			if m, isLeft := left[id]; isLeft {
				ordered = append(ordered, m)
				delete(left, id)
			}
		}
	}
	for _, m := range c.Facts {
		if isFirst(m) {
			add(c.Newer[m.ID]...)
		}
	}
	for _, m := range lines {
		add(append(slices.Clone(c.Newer[m.ID]), m.ID)...)
	}
	return ordered
}

// newestFirst sets the places of items so that the items of the newest memories stand first, and returns the items.
func newestFirst(all []pack.Item, of []memory.Memory) []pack.Item {
	place := map[string]int{}
	for i, m := range byDay(of) {
		place[m.ID] = i
	}
	for i := range all {
		all[i].Place = place[all[i].ID]
	}
	return all
}

// saidKind is shown as the kind of a note that was said in passing.
const saidKind memory.Kind = "said"

// keptAndSaid returns two lists of the user's words: what the user asked to keep, had to repeat, or may have said to correct
// another line; and the other words said in passing that a start still shows.
func keptAndSaid(c memory.StartContext, stated []memory.Memory) (kept, said []memory.Memory) {
	kept, said = parted(stated, memory.Memory.IsKept)
	again, once := parted(said, memory.Memory.IsSaidAgain)
	for i := range once {
		if once[i].Kind == memory.KindNote {
			once[i].Kind = saidKind
		}
	}
	mayCorrect := c.Corrections()
	correcting, once := parted(once, func(m memory.Memory) bool { return mayCorrect[m.ID] })
	return byDay(slices.Concat(kept, unread(c, again), correcting)), unread(c, lately(c, once))
}

// quotedAbove returns the user's sentences that a fact has replaced (c.Quoted), if they are newer than the oldest shown line. Otherwise
// this older line would stand above the fact, although the replaced sentence is newer.
func quotedAbove(c memory.StartContext, shown []memory.Memory) []memory.Memory {
	if len(shown) == 0 {
		return nil
	}
	oldest := slices.MinFunc(shown, func(a, b memory.Memory) int { return a.LastSeenAt.Compare(b.LastSeenAt) })
	newer, _ := parted(byDay(c.Quoted), func(m memory.Memory) bool { return m.LastSeenAt.Sub(oldest.LastSeenAt) >= memory.OnePrompt })
	mayCorrect := c.Corrections()
	correcting, others := parted(newer, func(m memory.Memory) bool { return mayCorrect[m.ID] })
	others = unread(c, lately(c, others))
	return slices.Concat(correcting, others[:min(len(others), mostSaid)])
}

// lately returns the memories of the last saidSessions sessions.
func lately(c memory.StartContext, said []memory.Memory) []memory.Memory {
	last := map[string]time.Time{}
	for _, m := range slices.Concat(c.Statements, c.Facts, c.Quoted) {
		last[m.Session] = later(last[m.Session], m.LastSeenAt)
	}
	for _, s := range c.Summaries {
		last[s.ID] = later(last[s.ID], s.LastEventAt)
	}
	var since time.Time
	if times := slices.SortedFunc(maps.Values(last), time.Time.Compare); len(times) > saidSessions {
		since = times[len(times)-saidSessions]
	}
	return slices.DeleteFunc(slices.Clone(said), func(m memory.Memory) bool { return last[m.Session].Before(since) })
}

// unread returns what was said in sessions that no model has distilled. If there are no facts it returns all.
func unread(c memory.StartContext, said []memory.Memory) []memory.Memory {
	read := DistilledSessions(c)
	return slices.DeleteFunc(slices.Clone(said), func(m memory.Memory) bool { return read[m.Session] })
}

// DistilledSessions returns the ids of the sessions that a model has distilled. If there are no facts it returns none.
func DistilledSessions(c memory.StartContext) map[string]bool {
	read := map[string]bool{}
	for _, s := range c.Summaries {
		read[s.ID] = len(c.Areas) > 0 && s.Summary.Digest.Source == memory.SourceAssistant
	}
	return read
}

// parted returns the memories that are wanted, and the others.
func parted(memories []memory.Memory, isWanted func(memory.Memory) bool) (wanted, others []memory.Memory) {
	for _, m := range memories {
		if isWanted(m) {
			wanted = append(wanted, m)
		} else {
			others = append(others, m)
		}
	}
	return wanted, others
}

// putPinnedFirst moves pinned and repeated memories to the front.
func putPinnedFirst(memories []memory.Memory) {
	slices.SortStableFunc(memories, func(a, b memory.Memory) int { return memory.TrueFirst(isFirst(a), isFirst(b)) })
}

// items returns the items of memories at a start. A day includes the year if it differs from the newest row's.
func items(c memory.StartContext, memories []memory.Memory, counter memory.TokenCounter) []pack.Item {
	year := newest(c).UTC().Year()
	return memory.Each(memories, func(m memory.Memory) pack.Item { return pack.NewItem(m.ID, render.StartLine(m, year), counter) })
}

// cameToNothing reports whether a summary has only the request, and so adds nothing: stated rules have lines of their own.
func cameToNothing(summary memory.Summary) bool {
	begun, isAsked := strings.CutPrefix(summary.Words(), `asked "`)
	return isAsked && !strings.Contains(begun, `"; `)
}

func summaryItems(sessions []memory.Session, counter memory.TokenCounter) []pack.Item {
	items := make([]pack.Item, 0, len(sessions))
	for _, s := range sessions {
		if s.Summary.Text == "" || cameToNothing(s.Summary) || s.EndReason == memory.EndImported && s.Summary.Digest.Source == "" {
			continue // nothing to continue, or a program's summary of an imported session
		}
		items = append(items, pack.NewItem(s.ID, render.SummaryLine(s.Summary.Text), counter))
	}
	return items
}

// WithoutSentence returns the text of a summary without a sentence, whatever the case of its first letter. A summary leaves out the sentence's last mark.
func WithoutSentence(text, sentence string) string {
	sentence = strings.TrimRight(sentence, ".!")
	_, first := utf8.DecodeRuneInString(sentence)
	before, after, found := strings.Cut(text, sentence[first:])
	if !found || sentence == "" {
		return text
	}
	_, size := utf8.DecodeLastRuneInString(before)
	return before[:len(before)-size] + "…" + after
}
