// Package consolidate keeps the store in order while nobody looks: it runs
// maintenance jobs, each of which loads, plans, applies and records in that
// order, so that every change has a run and a reason. It refuses to decide when
// to run.
package consolidate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// Recount counts the tokens of memories that another encoding counted, or none:
// after tokens.encoding was changed, or a store was filled by another agent.
const Recount = "recount"

// Jobs names every job.
func Jobs() []string { return []string{Recount} }

// Runner runs jobs on a store.
type Runner struct {
	Store   memory.Store
	Counter tokens.Counter
	Now     func() time.Time
}

// recountLimit bounds one run; the next goes on where it stopped.
const recountLimit = 1000

// Run runs one job and returns its record. A failed job is recorded too, if the
// store can still be reached. An unknown job is memory.ErrInvalid.
func (r *Runner) Run(ctx context.Context, job, trigger string) (memory.Run, error) {
	if !slices.Contains(Jobs(), job) {
		return memory.Run{}, fmt.Errorf("job %q: there are %s: %w", job, strings.Join(Jobs(), ", "), memory.ErrInvalid)
	}
	started := r.Now().UTC()
	run := memory.Run{ID: memory.NewEventID(started), Job: job, Trigger: trigger, StartedAt: started}
	uncounted, err := r.Store.Uncounted(ctx, r.Counter.Encoding(), recountLimit)
	if err == nil {
		run.Examined = len(uncounted)
		run.Actions = planRecount(run.ID, uncounted, r.Counter)
		run.Changed = len(run.Actions)
	} else {
		run.Error = err.Error()
	}
	run.EndedAt = r.Now().UTC()
	if commitErr := r.Store.CommitRun(ctx, run); commitErr != nil {
		return run, fmt.Errorf("run %s: %w", job, commitErr)
	}
	return run, err
}

// planRecount gives every memory the count of its rendered line.
func planRecount(run string, memories []memory.Memory, counter tokens.Counter) []memory.Action {
	actions := make([]memory.Action, 0, len(memories))
	for i, m := range memories {
		reason := "counted by " + m.TokenEncoding
		if m.TokenEncoding == "" {
			reason = "not counted"
		}
		actions = append(actions, memory.Action{
			ID: fmt.Sprintf("%s-%d", run, i), Memory: m.ID, Reason: reason,
			Before: memory.TokenCount{Tokens: m.TokenCount, Encoding: m.TokenEncoding},
			After:  memory.TokenCount{Tokens: counter.Count(recall.Line(m)), Encoding: counter.Encoding()},
		})
	}
	return actions
}
