package policy

import (
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Clock is a clock of active days: the UTC days on which there was activity, such as 2026-01-31, sorted, each once.
type Clock []string

// Reading returns the number of active days up to a time. Of an active day that has begun, the part that has passed counts.
func (c Clock) Reading(at time.Time) float64 {
	at = at.UTC()
	earlier, today := slices.BinarySearch(c, at.Format(time.DateOnly))
	reading := float64(earlier)
	if today {
		reading += at.Sub(at.Truncate(24*time.Hour)).Hours() / 24
	}
	return reading
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
