package consolidate

import (
	"context"
	"errors"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// FinishUndos finishes the undos that a killed daemon left open, because half an undo is a state that nobody asked for.
// It fails with memory.ErrHeld if an undo is running, and with the store's errors; then it must be called again.
func (r *Runner) FinishUndos(ctx context.Context) error {
	open, err := r.Store.Runs(ctx, memory.RunQuery{Open: true})
	if err != nil {
		return fmt.Errorf("find interrupted undos: %w", err)
	}
	for _, run := range open {
		if run.Job != Undo {
			continue // the job's next run ends it
		}
		whole, err := memory.RunOf(ctx, r.Store, run.ID)
		if undone := undoneBy(whole); err == nil && undone != "" {
			_, err = r.Undo(ctx, undone, run.Trigger)
		}
		if err == nil || errors.Is(err, memory.ErrNotFound) { // a purge deletes runs
			err = r.end(ctx, run, nil)
		}
		if err != nil {
			return fmt.Errorf("finish the undo %s: %w", run.ID, err)
		}
	}
	return nil
}
