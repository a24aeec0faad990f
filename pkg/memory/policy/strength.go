package policy

import (
	"math"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy/rules"
)

// Strength returns how much of its importance a memory still has, 0 to 1: importance x
// 0.5^(age / half-life). The age is in active days since the last use, and each use has lengthened
// the half-life. It is computed from stored state and now alone and is never stored, so that nothing
// compounds. A use that the clock has not reached yet has age 0.
func Strength(row Row, now Now, limits Rules) float64 {
	return row.Memory.Importance * math.Exp2(-row.age(now)/halfLife(row, limits))
}

// CrossesAt returns the reading of the row's clock from which its strength is below a threshold. An
// index on it finds the due rows without computing any strength. It changes only with the
// importance, the uses or the time of the last use. For a row that is below at once it returns
// the time of its use; for a row that never will be, +Inf.
func CrossesAt(row Row, threshold float64, limits Rules) float64 {
	importance := row.Memory.Importance
	switch {
	case importance < threshold || importance == 0:
		return row.UsedOn
	case threshold <= 0:
		return math.Inf(1)
	}
	return row.UsedOn + halfLife(row, limits)*math.Log2(importance/threshold)
}

func (r Row) age(now Now) float64 {
	return max(0, now.ActiveDays[r.Clock()]-r.UsedOn)
}

func halfLife(row Row, limits Rules) float64 {
	factor := math.Pow(1+rules.Lengthening, float64(row.Uses))
	return limits.HalfLife(row.Memory.Type) * min(factor, rules.LongestFactor)
}

// Never is a reading that no clock of active days reaches.
const Never = 1e12

// DueOn returns the reading of the row's clock from which Prune may archive or forget the row, considering the row
// alone. An active row is due when it is weak; an archived row when it is weaker still and its grace is over; a row
// that always stays is due at Never. A clock of active days never runs faster than the calendar, so a grace period
// never ends before DueOn. If it ends later, the row is checked too early, and DueOn gives the next time.
func DueOn(row Row, now Now, limits Rules) float64 {
	switch {
	case row.Protected():
		return Never
	case row.alive() && row.Uses < rules.BarelyUsed:
		return weakerOn(row, rules.ArchiveBelow, limits)
	case row.Memory.Status == memory.StatusArchived && !row.RetiredAt.IsZero():
		due := weakerOn(row, rules.ForgetBelow, limits)
		if grace := limits.Grace - now.Time.Sub(row.RetiredAt); grace > 0 {
			due = max(due, now.ActiveDays[row.Clock()]+grace.Hours()/24)
		}
		return due
	}
	return Never
}

// weakerOn returns the reading of the row's clock from which its strength is below a threshold, at most Never. For a
// row that was weak from the start it returns 0, because the clock may be behind the last use.
func weakerOn(row Row, threshold float64, limits Rules) float64 {
	if row.Memory.Importance < threshold {
		return 0
	}
	if threshold <= 0 {
		return Never
	}
	return min(Never, CrossesAt(row, threshold, limits))
}
