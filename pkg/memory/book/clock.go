package book

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// clock is the name under which a store keeps the latest time of the statements and decisions that it knows of, from here and from other
// machines. A new decision is dated after this time, so that it prevails over them on each machine, whatever the machines' clocks say.
const clock = "clock"

// dated returns the time of a decision that is made at a time. rows must have the clock.
func dated(at time.Time, rows memory.Rows) time.Time {
	if known := rows.Jobs[clock].Slot; !at.After(known) {
		return known.Add(1 + rand.N(time.Millisecond)) // at random, so that no other machine that knows the same decides at the same time
	}
	return at
}

// mostWaited is the most by which the clocks of two machines usually differ. If the store's clock is ahead by no more, a statement
// that waited in the spool for longer keeps its time: it was made before the statement that set the clock.
const mostWaited = 5 * time.Minute

// inOrder returns a batch of captured events. If the clock has a later time than the batch, some machine's clock was ahead. Then inOrder dates the batch's
// statements after this time, in their own order, because what is said later holds. Other rows keep their times, which the transcript has, too.
func inOrder(b memory.Batch, rows memory.Rows) memory.Batch {
	known := rows.Jobs[clock].Slot
	if b.Received.IsZero() || len(b.Memories) == 0 || !known.After(b.Received) {
		return b
	}
	var times []time.Time
	for _, m := range b.Memories {
		times = append(times, m.CreatedAt, m.LastSeenAt)
	}
	times = append(times, memory.Each(b.Sightings, func(s memory.Sighting) time.Time { return s.At })...)
	slices.SortFunc(times, time.Time.Compare)
	times = slices.CompactFunc(times, time.Time.Equal)
	isFar := known.Sub(b.Received) > mostWaited
	after := func(at time.Time) time.Time {
		if !isFar && b.Received.Sub(at) > mostWaited {
			return at
		}
		place, _ := slices.BinarySearchFunc(times, at, time.Time.Compare)
		return latest(at, known.Add(time.Duration(1+place))) // one nanosecond apart, because a wrong clock may have put years between them
	}
	b.Memories, b.Sightings = slices.Clone(b.Memories), slices.Clone(b.Sightings)
	for i := range b.Memories {
		m := &b.Memories[i]
		m.CreatedAt, m.LastSeenAt = after(m.CreatedAt), after(m.LastSeenAt)
	}
	for i := range b.Sightings {
		b.Sightings[i].At = after(b.Sightings[i].At)
	}
	return b
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
