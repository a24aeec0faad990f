// Package consolidate keeps the store in order while nobody looks: it runs
// maintenance jobs, each of which loads, plans, applies and records in that
// order, so that every change has a run and a reason. It refuses to decide when
// to run.
package consolidate

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

const (
	// Recount counts the tokens of memories that another encoding counted, or
	// none: after tokens.encoding was changed, or another agent filled the store.
	Recount = "recount"
	// Close ends the sessions that never ended: the client was killed, or the
	// machine went down.
	Close = "close"
)

// Jobs names every job.
func Jobs() []string { return []string{Recount, Close} }

// Runner runs jobs on a store.
type Runner struct {
	Store      memory.Store
	Counter    tokens.Counter
	Now        func() time.Time
	CloseAfter time.Duration // of silence
}

// The most that one run takes on; the next goes on where it stopped.
const (
	recountLimit = 1000
	closeLimit   = 100
)

// Run runs one job and returns its record. A failed job is recorded too, if the
// store can still be reached. An unknown job is memory.ErrInvalid.
func (r *Runner) Run(ctx context.Context, job, trigger string) (memory.Run, error) {
	started := r.Now().UTC()
	run := memory.Run{ID: memory.NewEventID(started), Job: job, Trigger: trigger, StartedAt: started}
	var err error
	switch job {
	case Recount:
		err = r.recount(ctx, &run)
	case Close:
		err = r.close(ctx, &run)
	default:
		return memory.Run{}, fmt.Errorf("job %q: there are %s: %w", job, strings.Join(Jobs(), ", "), memory.ErrInvalid)
	}
	if err != nil {
		run.Error = err.Error()
	}
	run.EndedAt = r.Now().UTC()
	if commitErr := r.Store.CommitRun(ctx, run); commitErr != nil {
		return run, fmt.Errorf("run %s: %w", job, commitErr)
	}
	return run, err
}

func (r *Runner) recount(ctx context.Context, run *memory.Run) error {
	uncounted, err := r.Store.Uncounted(ctx, r.Counter.Encoding(), recountLimit)
	if err != nil {
		return err
	}
	run.Examined = len(uncounted)
	run.Actions = planRecount(run.ID, uncounted, r.Counter)
	run.Changed = len(run.Actions)
	return nil
}

// close ends silent sessions at their last event. A session that goes on after
// all is opened again by its next start or prompt, which is newer.
func (r *Runner) close(ctx context.Context, run *memory.Run) error {
	silent, err := r.Store.Silent(ctx, r.Now().Add(-r.CloseAfter), closeLimit)
	if err != nil {
		return err
	}
	run.Examined = len(silent)
	for _, s := range silent {
		s.State, s.EndedAt, s.EndReason = memory.SessionAbandoned, s.LastEventAt, "silent"
		s.StateAt = s.LastEventAt.Add(1) // just after whatever opened it
		if err := r.Store.Ingest(ctx, memory.Batch{Sessions: []memory.Session{s}}); err != nil {
			return err
		}
		activity, err := r.Store.Activity(ctx, s.ID)
		if err != nil {
			return err
		}
		if err := r.Store.Summarise(ctx, s.ID, ingest.Summary(activity, r.Counter)); err != nil {
			return err
		}
		run.Changed++
	}
	return nil
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
