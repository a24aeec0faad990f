package consolidate

import (
	"context"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Undo puts back what a run has changed, where nobody touched it since: a memory
// is left alone if one of the fields that the run changed has changed again. The
// undoing is a run of its own and can be undone. What was put back is kept: later
// runs leave it as it is.
//
// Errors: memory.ErrNotFound for an unknown run, and what the store says.
func (r *Runner) Undo(ctx context.Context, id, trigger string) (memory.Run, error) {
	undone, err := r.Store.Run(ctx, id)
	if err != nil {
		return memory.Run{}, fmt.Errorf("undo: %w", err)
	}
	return r.under(ctx, Request{Job: Undo, Trigger: trigger}, func(w *work, ctx context.Context) error {
		return w.undo(ctx, undone)
	})
}

func (w *work) undo(ctx context.Context, run memory.Run) error {
	actions := slices.Clone(run.Actions)
	slices.Reverse(actions)
	for page := range slices.Chunk(actions, pageSize) {
		rows, err := w.Store.Rows(ctx, memoriesOf(page))
		if err != nil {
			return err
		}
		byID := make(map[string]memory.Row, len(rows))
		for _, row := range rows {
			byID[row.Memory.ID] = row
		}
		var back []memory.Action
		var notes []string
		for _, a := range page {
			w.run.Examined++
			row, exists := byID[a.Memory]
			action, obstacle := inverse(a, row, exists)
			if obstacle != "" {
				notes = append(notes, fmt.Sprintf("memory %s is left alone: %s", memory.ShortID(a.Memory), obstacle))
				continue
			}
			action.Reason = fmt.Sprintf("undo of %s: %s", run.ID, a.Reason)
			back = append(back, action)
		}
		if err := w.make(ctx, back, 0, notes, 0); err != nil {
			return err
		}
	}
	return nil
}

// inverse is the action that takes another back, or what stands in its way.
func inverse(a memory.Action, row memory.Row, exists bool) (memory.Action, string) {
	switch {
	case a.Kind == memory.ActionRemove && exists:
		return a, "it is there again"
	case a.Kind == memory.ActionRemove:
		return memory.Action{Memory: a.Memory, Kind: memory.ActionCreate, Row: a.Row}, ""
	case !exists:
		return a, "it is gone"
	case a.Kind == memory.ActionCreate:
		if changed := row.State().Changed(a.Row.State()); len(changed) > 0 {
			return a, "its " + changed[0] + " has changed since"
		}
		return memory.Action{Memory: a.Memory, Kind: memory.ActionRemove, Row: &row, Mark: row.Mark}, ""
	}
	now, fields := row.State(), a.After.Changed(a.Before)
	for _, field := range now.Changed(a.After) {
		if slices.Contains(fields, field) {
			return a, "its " + field + " has changed since"
		}
	}
	return memory.Action{
		Memory: a.Memory, Kind: a.Kind, Before: now, After: now.Patch(fields, a.Before), Mark: row.Mark,
	}, ""
}
