package start

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// The shares of earlier sessions and of reports at a session's start. The rest goes to
// the other sections by worth.
const (
	shareSummaries = 0.1
	shareHeard     = 0.05
	shareTopics    = 0.08
	shareFailing   = 0.001 // the room that the other sections leave: with 0.12, starts told up to 6 % fewer of the labelled facts
)

// Recent statements make up most of the worth; standing is the part that does not age.
// Measured on real sessions: docs/lab/recall.md.
const (
	startHalfLife = 2 // active days
	standing      = 0.1
)

// sharedLines is the number of lines of the usual budget that sections share by worth.
const sharedLines = 24

// shares is the share of each section, in proportion to the lines it would have if the
// most valuable lines were chosen from all sections together.
func (o order) shares(sections ...[]memory.Memory) []float64 {
	type line struct {
		section int
		worth   float64
	}
	var lines []line
	for i, memories := range sections {
		for _, m := range memories[:min(len(memories), sharedLines)] {
			lines = append(lines, line{i, o.worth(&m)})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(b.worth, a.worth) })
	lines = lines[:min(len(lines), sharedLines)]
	shares := make([]float64, len(sections))
	for _, l := range lines {
		shares[l.section] += (1 - shareSummaries - shareHeard - shareTopics) / float64(len(lines))
	}
	return shares
}

// order ranks memories for a session's start. Age counts active days only.
type order struct {
	newest time.Time
	days   []string // active days, in order
}

// conclusionWorth is the worth of an assistant's conclusion relative to a user's statement.
const conclusionWorth = 0.7

func newOrder(c memory.StartContext) order {
	var o order
	see := func(at time.Time) {
		if at.After(o.newest) {
			o.newest = at
		}
		o.days = append(o.days, at.UTC().Format(time.DateOnly))
	}
	for _, m := range slices.Concat(c.Todos, c.Conventions, c.Failing, c.Preferences, c.Facts) {
		see(m.LastSeenAt)
	}
	for _, s := range c.Summaries {
		see(s.LastEventAt)
	}
	slices.Sort(o.days)
	o.days = slices.Compact(o.days)
	return o
}

// worth is the value of a memory at a start, from its importance and its age. A pinned
// memory does not age.
func (o order) worth(m *memory.Memory) float64 {
	if m.Pinned {
		return 1 + m.Importance
	}
	at, _ := slices.BinarySearch(o.days, m.LastSeenAt.UTC().Format(time.DateOnly))
	age := float64(len(o.days) - 1 - at)
	if age == 0 {
		age = min(o.newest.Sub(m.LastSeenAt).Hours()/24, 1) / 2
	}
	importance := m.Importance
	if m.IsHearsay() {
		importance *= conclusionWorth
	}
	return importance * (standing + (1-standing)*math.Exp2(-age/startHalfLife))
}

// sorted is the memories by worth, the highest first.
func (o order) sorted(memories []memory.Memory) []memory.Memory {
	sorted := slices.Clone(memories)
	slices.SortStableFunc(sorted, func(a, b memory.Memory) int { return cmp.Compare(o.worth(&b), o.worth(&a)) })
	return sorted
}

func (o order) items(memories []memory.Memory, counter tokens.Counter) []pack.Item {
	items := make([]pack.Item, 0, len(memories))
	for _, m := range memories {
		items = append(items, pack.NewItem(m.ID, render.StartLine(m, o.newest.UTC().Year()), counter))
	}
	return items
}

// age is the number of active days since a memory was seen.
func (o order) age(m memory.Memory) int {
	at, _ := slices.BinarySearch(o.days, m.LastSeenAt.UTC().Format("2006-01-02"))
	return len(o.days) - 1 - at
}
