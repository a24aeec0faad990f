package book

import (
	"math/rand/v2"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// clock is the name under which a store keeps the latest time of all that it knows of: statements and decisions, made here or on
// another machine. A decision is dated after it, so that it holds against them on each machine, whatever the machines' clocks say.
const clock = "clock"

// dated returns the time of a decision that is made at a time. rows have the clock.
func dated(at time.Time, rows memory.Rows) time.Time {
	if known := rows.Jobs[clock].Slot; !at.After(known) {
		return known.Add(1 + rand.N(time.Millisecond)) // no machine that knows the same decides at the same time
	}
	return at
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
