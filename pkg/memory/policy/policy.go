// Package policy decides the fate of memories: how strong they are, which scope they get, which are the same, and which
// are archived. Every decision is a pure function of the time, the rules and the rows. Its result is a plan that gives
// each change with the state before, the state after and a reason in words. The package does no I/O, reads no clock and
// uses no randomness. No plan adds or removes a row.
package policy

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Now is the time that a plan is made for.
type Now struct {
	Time time.Time
	// Clocks are the clocks of active days by project key; "" is the user's, which runs when any project's does.
	Clocks map[string]Clock
}

// The kinds of action.
const (
	KindPromote     = "promote"     // gets a wider scope, or a greater importance
	KindArchive     = "archive"     // archived, can be restored
	KindMerge       = "merge"       // takes over the uses and tags of its duplicates
	KindConsolidate = "consolidate" // is a duplicate: keeps its text, and names the memory that took it over
	KindReinstate   = "reinstate"   // was seen again after its correction, so it is active again
)

// Plan lists the changes to make, at most one action for each row, ordered by memory id.
type Plan struct {
	Actions []memory.Action
	// Notes name the omitted actions and the reasons.
	Notes []string
}

// Protected reports whether a row is never archived for weakness or for the budget: it is pinned, written by the user, said again
// or exempt, or a decision or an open todo that no rule guessed from a prompt. No plan changes an exempt row at all.
func Protected(r memory.Row) bool {
	m := r.Memory
	stands := m.Kind == memory.KindDecision || m.Kind == memory.KindTodo
	isGuessed := m.Source == memory.SourceUser // by a rule, from a prompt in which the person did not ask to keep it
	return r.Exempt || m.Pinned || r.UserWritten || m.IsSaidAgain() || stands && !isGuessed
}

// isCurrent reports whether recall may show the row and no other row supersedes it.
func isCurrent(r memory.Row) bool {
	return r.Memory.IsRecallable() && r.SupersededBy == ""
}

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

// Strength returns how much of its importance a memory still has, 0 to 1: importance x 0.5^(age / half-life). The age is in
// active days since the last use, and each use has lengthened the half-life. It is computed from stored state and now alone and
// is never stored, so that nothing compounds. If the last use is later than now, as after a change of the clock, the age is 0.
func Strength(row memory.Row, now Now) float64 {
	return row.Memory.Importance * math.Exp2(-age(row, now)/halfLife(row))
}

func age(r memory.Row, now Now) float64 {
	clock := now.Clocks[r.Memory.Project] // the project of the user's memories is ""
	return max(0, clock.Reading(now.Time)-clock.Reading(r.UsedAt))
}

func halfLife(r memory.Row) float64 {
	factor := math.Pow(1+Lengthening, float64(r.Uses))
	return cmp.Or(halfLives[r.Memory.Type], halfLives[memory.TypeSemantic]) * min(factor, LongestFactor)
}
