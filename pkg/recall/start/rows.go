package start

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// otherArea is the area of facts that name none.
const otherArea = "other"

func areaOf(m memory.Memory) string { return cmp.Or(m.Area, otherArea) }

// isFirst reports whether a memory precedes the others of its section.
func isFirst(m memory.Memory) bool { return m.Pinned || m.IsSaidAgain() }

// byDay returns the memories sorted by their last sighting, the newest first. Memories of one prompt are sorted by
// their text, because ids depend on the project.
func byDay(memories []memory.Memory) []memory.Memory {
	sorted := slices.Clone(memories)
	slices.SortFunc(sorted, func(a, b memory.Memory) int {
		return cmp.Or(b.LastSeenAt.Compare(a.LastSeenAt), strings.Compare(a.Content, b.Content), strings.Compare(a.ID, b.ID))
	})
	return sorted
}

// newest returns the last sighting of the newest row of a start.
func newest(c memory.StartContext) (at time.Time) {
	for _, memories := range [][]memory.Memory{c.Statements, c.Facts} { // loops by index, because a memory is large
		for i := range memories {
			at = later(at, memories[i].LastSeenAt)
		}
	}
	for _, s := range c.Summaries {
		at = later(at, s.LastEventAt)
	}
	return at
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
