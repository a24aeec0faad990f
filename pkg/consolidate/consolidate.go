// Package consolidate runs the maintenance jobs. Each job loads the changed rows, plans with package policy, and
// commits the plan with its reasons, so that every change belongs to a run and can be undone. Package policy decides
// what becomes of a memory, and the daemon's schedule when a job runs.
package consolidate

import (
	"context"
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
)

// workOf maps each job to its function.
var workOf = map[string]func(*work, context.Context) error{
	schedule.Close:   (*work).close,
	schedule.Dedup:   withClocks(planTogether(policy.CandidateKey, false, policy.Dedup)),
	schedule.Promote: withClocks(planTogether(policy.DuplicateKey, true, policy.Promote)),
	schedule.Prune:   withClocks((*work).prune),
}

// withClocks returns the function of a job that needs the clocks of active days.
func withClocks(do func(*work, context.Context) error) func(*work, context.Context) error {
	return func(w *work, ctx context.Context) error {
		totals, err := w.Store.Totals(ctx, memory.ActiveDays{})
		if err != nil {
			return err
		}
		w.now = policy.Now{Time: w.Now().UTC(), Clocks: policy.NewClocks(totals.Days)}
		return do(w, ctx)
	}
}

// Run runs one job and returns its record with the first 1000 of its actions. A failed job is recorded too, if the
// store can still be reached.
//
// It fails with memory.ErrInvalid for an unknown job, ErrDone if the slot was run already, memory.ErrHeld if the job is running,
// memory.ErrLeaseLost if the job stalled so long that another daemon took it over, and the store's errors.
func (r *Runner) Run(ctx context.Context, request Request) (memory.Run, error) {
	if do := workOf[request.Job]; do != nil {
		return r.withLease(ctx, request, do)
	}
	return memory.Run{}, fmt.Errorf("there is no job %q; the jobs are %s: %w", request.Job,
		strings.Join(schedule.JobNames(), ", "), memory.ErrInvalid)
}
