package policy

import (
	"cmp"
	"math"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Strength returns how much of its importance a memory still has, 0 to 1: importance x 0.5^(age / half-life). The age
// is in active days since the last use, and each use has lengthened the half-life. It is computed from stored state and
// now alone and is never stored, so that nothing compounds. If the last use is later than now, as after a change of the
// clock, the age is 0.
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
