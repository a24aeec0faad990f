package consolidate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Recovered has the jobs of open runs.
type Recovered struct {
	// Again lists the jobs to run again, in the order in which they began.
	Again []string
	// Held lists the jobs whose lease is held, by another daemon or by one that died a moment ago. Recover must be
	// called again for them.
	Held []string
}

// Recover ends the runs that a killed daemon left open. Their commits stay, and the jobs must run again. An
// interrupted undo is finished, because half an undo is a state that nobody asked for. Runs whose lease is held are
// left to the holder.
//
// It fails with the store's errors, and then returns what was recovered before.
func (r *Runner) Recover(ctx context.Context) (Recovered, error) {
	var done Recovered
	open, err := r.Store.Runs(ctx, memory.RunQuery{Open: true})
	if err != nil {
		return done, fmt.Errorf("find interrupted runs: %w", err)
	}
	for _, run := range open {
		undone, err := r.recoverRun(ctx, run)
		switch {
		case errors.Is(err, memory.ErrHeld):
			done.Held = appendOnce(done.Held, run.Job)
			continue
		case err != nil:
			return done, fmt.Errorf("recover run %s: %w", run.ID, err)
		case run.Job != Undo:
			done.Again = appendOnce(done.Again, run.Job)
		case undone != "":
			if _, err := r.Undo(ctx, undone, run.Trigger); err != nil {
				return done, fmt.Errorf("finish the undo of run %s: %w", undone, err)
			}
		}
	}
	return done, nil
}

func appendOnce(all []string, one string) []string {
	if slices.Contains(all, one) {
		return all
	}
	return append(all, one)
}

// recoverRun ends an open run. If the run is an undo, it returns the id of the run that is being undone.
func (r *Runner) recoverRun(ctx context.Context, run memory.Run) (undone string, err error) {
	lease, err := r.Store.Lease(ctx, memory.Lease{Name: leaseName(run.Job), Holder: "recover-" + run.ID}, releaseTime)
	if err != nil {
		return "", err
	}
	defer func() {
		_, releasing := r.Store.Lease(ctx, lease, 0)
		err = errors.Join(err, releasing)
	}()
	if run.Job == Undo {
		whole, err := memory.RunOf(ctx, r.Store, run.ID)
		if err != nil {
			return "", err
		}
		undone = undoneBy(whole)
	}
	return undone, r.end(ctx, run, lease)
}
