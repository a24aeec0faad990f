package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// replacing is the job of the runs by which facts that the assistant stored replace others.
const replacing = "replace"

// replace has facts of a batch replace those that their events name, as a run that can be
// undone, and returns these. It is made before the events are acknowledged, and changes
// nothing when they are stored again.
func (in *Intake) replace(ctx context.Context, events []memory.Event, batch memory.Batch) ([]memory.Memory, error) {
	now := in.Now().UTC()
	run := memory.Run{ID: memory.NewEventID(now), Job: replacing, Trigger: "mcp", StartedAt: now, EndedAt: now}
	var replaced []memory.Memory
	for _, e := range events {
		if e.Kind != memory.EventRemembered || e.Replaces == "" {
			continue
		}
		by, isKept := keptOf(e, batch)
		if !isKept {
			continue
		}
		row, why, err := in.toReplace(ctx, e, by)
		if err != nil {
			return nil, err
		}
		if why != "" {
			in.Log.Info("a memory is not replaced", "memory", row.Memory.ID, "by", by.ID, "reason", why)
			continue
		}
		after := row.State()
		after.SupersededBy = by.ID
		run.Actions = append(run.Actions, memory.Action{
			ID: fmt.Sprintf("%s-%06d", run.ID, len(run.Actions)), Memory: row.Memory.ID, Kind: "supersede",
			Reason: fmt.Sprintf("the assistant stored %s, which makes it false", by.ID),
			Before: row.State(), After: after, Cursor: row.Cursor, Needs: by.ID,
		})
		replaced = append(replaced, row.Memory)
	}
	if len(run.Actions) == 0 {
		return nil, nil
	}
	run.Examined, run.Changed = len(run.Actions), len(run.Actions)
	if _, err := in.Store.Commit(ctx, memory.Commit{Run: run}); err != nil {
		return nil, err
	}
	return replaced, nil
}

// keptOf is the memory of a batch that an event asked to keep.
func keptOf(e memory.Event, batch memory.Batch) (memory.Memory, bool) {
	seen := slices.IndexFunc(batch.Sightings, func(s memory.Sighting) bool { return s.ID == e.ID })
	if seen < 0 {
		return memory.Memory{}, false
	}
	at := slices.IndexFunc(batch.Memories, func(m memory.Memory) bool { return m.ID == batch.Sightings[seen].Memory })
	if at < 0 {
		return memory.Memory{}, false
	}
	return batch.Memories[at], true
}

// toReplace is the row that the memory made of an event is to replace, and why it cannot.
func (in *Intake) toReplace(ctx context.Context, e memory.Event, by memory.Memory) (row memory.Row, why string, err error) {
	m, err := memory.Visible(ctx, in.Store, in.Aliases.Resolve(e.Project.Key), e.Replaces)
	switch {
	case errors.Is(err, memory.ErrNotFound):
		return row, "there is no such memory in this project", nil
	case errors.Is(err, memory.ErrInvalid):
		return row, strings.TrimSuffix(err.Error(), ": "+memory.ErrInvalid.Error()), nil
	case err != nil:
		return row, "", err
	}
	rows, err := in.Store.Rows(ctx, memory.WithIDs{m.ID})
	if err != nil || len(rows) == 0 {
		return row, "there is no such memory in this project", err
	}
	switch row = rows[0]; {
	case m.ID == by.ID:
		return row, "it has the same text", nil
	case by.Status != memory.StatusActive:
		return row, "the new memory is " + string(by.Status), nil
	}
	return row, row.WhyStands(), nil
}
