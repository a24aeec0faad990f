package consolidate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
)

// prune archives the memories that have become too weak, then the weakest memories of each scope that has more tokens
// than its budget. Last it deletes old events.
func (w *work) prune(ctx context.Context) error {
	limits := cmp.Or(w.Limits, policy.UsualLimits())
	for _, project := range slices.Sorted(maps.Keys(w.now.Clocks)) {
		if err := w.pruneProject(ctx, project, limits); err != nil {
			return err
		}
	}
	return w.deleteEvents(ctx)
}

// pruneProject prunes the memories of a project, or, for "", of the user.
func (w *work) pruneProject(ctx context.Context, project string, limits policy.Limits) error {
	rows, err := w.Store.Rows(ctx, memory.Page{Project: project, Status: memory.StatusActive, Limit: math.MaxInt32})
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i].Memory = render.WithTokenCount(rows[i].Memory, w.Counter)
	}
	w.run.Examined += len(rows)
	plan := policy.Prune(w.now, limits, rows)
	w.note(plan.Notes...)
	for actions := range slices.Chunk(w.planned(plan.Actions, rows), w.pageSize()) {
		if err := w.commit(ctx, actions); err != nil {
			return err
		}
	}
	return nil
}

// oldAtOnce is the number of rows of events that one transaction deletes.
const oldAtOnce = 200

// deleteEvents deletes old events. What was derived from them stays: facts, fixes and session summaries.
func (w *work) deleteEvents(ctx context.Context) error {
	if w.KeepEvents == 0 {
		return nil
	}
	gone := 0
	for last := false; !last; {
		page, err := w.Store.Export(ctx, memory.ExportQuery{
			Section: memory.SectionEvent, Before: w.now.Time.Add(-w.KeepEvents), Limit: oldAtOnce,
		})
		if err != nil {
			return err
		}
		old := page.Events
		if len(old) > 0 {
			if _, err = w.Store.Commit(ctx, memory.Commit{Lease: w.lease, Old: old}); err != nil {
				return err
			}
		}
		for _, row := range old {
			gone += len(row.Events)
		}
		last = len(old) < oldAtOnce
	}
	if gone > 0 {
		w.note(fmt.Sprintf("deleted events older than %d days: %d", int(w.KeepEvents.Hours()/24), gone))
	}
	return nil
}
