package recall

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// Sentences are memories, indexed by the words of their contents.
type Sentences struct {
	all    []memory.Memory
	coreOf func(memory.Memory) english.Core
	with   map[string][]int // indexes in all, by word
	shared []int            // by index in all: number of words shared with a line
}

// CoreOf returns the core of a memory's content.
func CoreOf(m memory.Memory) english.Core { return english.CoreOf(m.Content) }

// SentencesOf indexes memories. coreOf is CoreOf, or remembers its results.
func SentencesOf(all []memory.Memory, coreOf func(memory.Memory) english.Core) Sentences {
	with := map[string][]int{}
	for i, m := range all {
		for _, word := range coreOf(m).Words() {
			with[word] = append(with[word], i)
		}
	}
	return Sentences{all, coreOf, with, make([]int, len(all))}
}

// NewerThan returns the sentences that may correct a line (see english.Core.ToShare) and are newer, the newest first.
func (s Sentences) NewerThan(line memory.Memory) (newer []memory.Memory) {
	clear(s.shared)
	words, least := s.coreOf(line).ToShare()
	for _, word := range words {
		for _, i := range s.with[word] {
			s.shared[i]++
		}
	}
	for i, n := range s.shared {
		if n >= least && s.all[i].LastSeenAt.After(line.LastSeenAt) {
			newer = append(newer, s.all[i])
		}
	}
	slices.SortFunc(newer, func(x, y memory.Memory) int {
		return cmp.Or(y.LastSeenAt.Compare(x.LastSeenAt), strings.Compare(x.ID, y.ID))
	})
	return newer
}

// MayAnswer reports whether m may answer one of the sentences: one that is older, shares a word with m and does not say the same. The
// sentence must be newer than those of the user's lines that say the same as m.
func (s Sentences) MayAnswer(m memory.Memory, lines []memory.Memory) bool {
	var since time.Time
	core := s.coreOf(m)
	for _, one := range lines {
		if one.IsUsersWord() && one.LastSeenAt.After(since) && core.IsWhollyIn(s.coreOf(one)) {
			since = one.LastSeenAt
		}
	}
	return slices.ContainsFunc(core.Words(), func(word string) bool {
		return slices.ContainsFunc(s.with[word], func(i int) bool {
			older := s.all[i]
			return older.LastSeenAt.After(since) && older.LastSeenAt.Before(m.LastSeenAt) && !core.IsWhollyIn(s.coreOf(older))
		})
	})
}
