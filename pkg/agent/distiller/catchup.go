package distiller

import (
	"context"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// catchUp queues those of the newest sessions that are over and were never in the queue:
// maintenance closed them, they were imported, or they ended while distillation was
// switched off. Sessions that were given up are not asked for again.
func (d *Distiller) catchUp(ctx context.Context) error {
	if d.Settings.CatchUp == 0 {
		return nil
	}
	newest, err := d.Store.Sessions(ctx, "", d.Settings.CatchUp)
	if err != nil {
		return err
	}
	ids := make([]string, len(newest))
	for i, s := range newest {
		ids[i] = s.ID
	}
	known, err := d.Store.Distillations(ctx, memory.DistillationQuery{
		Sessions: ids, Limit: len(ids),
		States: []memory.DistillationState{memory.DistillationWaiting, memory.DistillationRunning, memory.DistillationDone, memory.DistillationDead},
	})
	if err != nil {
		return err
	}
	now := d.Now().UTC()
	var missed []memory.Distillation
	for _, s := range newest {
		if s.State.Over() && !slices.ContainsFunc(known, func(row memory.Distillation) bool { return row.Session == s.ID }) {
			missed = append(missed, memory.Distillation{
				Session: s.ID, State: memory.DistillationWaiting, Trigger: triggerCatchUp, NextTry: now, QueuedAt: now,
			})
		}
	}
	return d.Store.Enqueue(ctx, missed)
}
