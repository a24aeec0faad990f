package start

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
)

// Recent statements make up most of the worth; standing is the part that does not age.
// Measured on real sessions: docs/lab/recall.md.
const (
	startHalfLife = 2 // active days
	standing      = 0.1
)

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
	for _, m := range slices.Concat(c.Todos, c.Conventions, c.Preferences, c.Facts) {
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

func (o order) items(memories []memory.Memory, counter memory.TokenCounter) []pack.Item {
	items := make([]pack.Item, 0, len(memories))
	for _, m := range memories {
		items = append(items, pack.NewItem(m.ID, render.StartLine(m, o.newest.UTC().Year()), counter))
	}
	return items
}
