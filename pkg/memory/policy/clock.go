package policy

import (
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Clock is a clock of active days: the UTC days on which there was activity, such as 2026-01-31, sorted, each once.
type Clock []string

// Reading returns the value of ActiveDays at a time, in days. If that day has activity, it counts as
// begun.
func (c Clock) Reading(at time.Time) float64 {
	at = at.UTC()
	earlier, today := slices.BinarySearch(c, at.Format(time.DateOnly))
	reading := float64(earlier)
	if today {
		reading += at.Sub(at.Truncate(24*time.Hour)).Hours() / 24
	}
	return reading
}

// Resolved returns a row with its last use as a reading of its clock: the project's, or the user's for
// a memory of the user. A missing clock reads 0.
func Resolved(row memory.Row, clocks map[string]Clock) Row {
	if row.UsedOn < 0 {
		row.UsedOn = clocks[Row(row).Clock()].Reading(row.UsedAt)
	}
	return Row(row)
}

// NewClocks returns the clocks of all projects. The days are given by project and sorted, as the store
// has them; the user's clock, "", runs on the days of all projects.
func NewClocks(days map[string][]string) map[string]Clock {
	clocks := make(map[string]Clock, len(days)+1)
	var all []string
	for project, active := range days {
		clocks[project] = active
		all = append(all, active...)
	}
	clocks[""] = memory.Union(all)
	return clocks
}

// NewNow returns the readings of all clocks at a time.
func NewNow(at time.Time, clocks map[string]Clock) Now {
	now := Now{Time: at, ActiveDays: make(map[string]float64, len(clocks))}
	for project, clock := range clocks {
		now.ActiveDays[project] = clock.Reading(at)
	}
	return now
}
