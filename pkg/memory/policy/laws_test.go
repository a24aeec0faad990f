package policy_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
)

// Parts that only the tests of the laws need.

const secondsADay = 24 * 60 * 60

// applied returns the rows as they are after the plan, in their order, followed by the plan's facts. The rows given are not
// changed. It fails if an action's row is missing or no longer as the plan found it.
func applied(rows []memory.Row, plan policy.Plan) ([]memory.Row, error) {
	actions := make(map[string]memory.Action, len(plan.Actions))
	for _, action := range plan.Actions {
		actions[action.Memory] = action
	}
	after := make([]memory.Row, 0, len(rows))
	for _, row := range rows {
		action, planned := actions[row.Memory.ID]
		if planned {
			if changed := row.State().Changed(action.Before); len(changed) > 0 {
				return nil, fmt.Errorf("%s memory %s: its %s has changed since it was planned", action.Kind, row.Memory.ID, changed[0])
			}
			row = row.With(action.After)
			delete(actions, row.Memory.ID)
		}
		after = append(after, row)
	}
	for _, id := range slices.Sorted(maps.Keys(actions)) {
		return nil, fmt.Errorf("%s memory %s: it is missing", actions[id].Kind, id)
	}
	return after, nil
}

// activeDays is the reading of a clock that runs only on days with activity, in days: one for each earlier UTC day on which there
// was any, and of today, if there was any, the part that has passed. A holiday does not move it, and it never goes back. Activity
// after now does not count.
func activeDays(activity []time.Time, now time.Time) float64 {
	today := dayOf(now)
	days := map[int64]bool{}
	for _, at := range activity {
		if !at.After(now) {
			days[dayOf(at)] = true
		}
	}
	reading := float64(len(days))
	if days[today] {
		start := time.Unix(today*secondsADay, 0)
		reading += now.Sub(start).Hours()/24 - 1
	}
	return reading
}

func dayOf(at time.Time) int64 { return int64(math.Floor(float64(at.Unix()) / secondsADay)) }
