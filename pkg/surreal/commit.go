package surreal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// stepRowsSQL reads the rows that a step of a run depends on.
var stepRowsSQL = `
SELECT ` + rowFields + ` FROM $memories WHERE id != NONE;
SELECT ` + runFields + ` FROM $runs WHERE id != NONE;
SELECT VALUE record::id(id) FROM $records WHERE id != NONE;
RETURN $created.filter(|$of| !array::is_empty(SELECT VALUE id FROM maintenance_action WHERE memory = $of AND kind = 'remove')).map(|$of| record::id($of));`

// Commit implements storetest.Store.
func (s *Store) Commit(ctx context.Context, c memory.Commit) (missed []string, err error) {
	s.amending.Lock()
	defer s.amending.Unlock()
	for range mostRaces {
		missed, err = s.commit(ctx, c)
		if !errors.Is(err, memory.ErrConflict) {
			return missed, err
		}
	}
	return nil, fmt.Errorf("commit %s: %w", c.Subject(), errRace)
}

func (s *Store) commit(ctx context.Context, c memory.Commit) ([]string, error) {
	var rows book.StepRows
	if c.Run.ID != "" {
		var err error
		if rows, err = s.stepRows(ctx, c); err != nil {
			return nil, err
		}
	}
	w, missed := book.StepWrite(c, rows)
	if err := s.Apply(ctx, w); err != nil {
		return nil, fmt.Errorf("commit %s: %w", c.Subject(), err)
	}
	return missed, nil
}

func (s *Store) stepRows(ctx context.Context, c memory.Commit) (book.StepRows, error) {
	memories, actions, created := book.StepKeys(c)
	purpose := "commit " + c.Subject() + ": read its rows"
	result, err := s.ask(ctx, purpose, stepRowsSQL, map[string]any{
		"memories": memoryIDs(memories), "runs": recordIDs("maintenance_run", []string{c.Run.ID}),
		"records": recordIDs("maintenance_action", actions), "created": memoryIDs(created),
	})
	if err != nil {
		return book.StepRows{}, err
	}
	var rows book.StepRows
	rows.Memories, err = keyed(rowCodec, result, 0, err, func(r memory.Row) string { return r.Memory.ID })
	runs, err := keyed(runCodec, result, 1, err, func(r memory.Run) string { return r.ID })
	if run, isThere := runs[c.Run.ID]; isThere {
		rows.Run = &run
	}
	rows.Recorded, err = set(result, 2, err)
	rows.Removed, err = set(result, 3, err)
	if err != nil {
		return rows, fmt.Errorf("%s: %w", purpose, err)
	}
	return rows, nil
}

// set decodes the ids of a statement's result, unless there was an error before.
func set(result wire.Results, i int, before error) (map[string]bool, error) {
	if before != nil {
		return nil, before
	}
	var ids []string
	err := result.Decode(i, &ids)
	all := make(map[string]bool, len(ids))
	for _, id := range ids {
		all[id] = true
	}
	return all, err
}

func edgeRow(table, from, to string, when time.Time) map[string]any {
	return map[string]any{
		"id": recordID(table, from+"-"+to), "in": recordID("memory", from), "out": recordID("memory", to), "at": at(when),
	}
}

// actionRow is the record of an action. It holds the changed fields as JSON objects, so
// that any field of a state can be in it.
func actionRow(run string, a memory.Action) map[string]any {
	before, after := map[string]any{}, map[string]any{}
	switch {
	case a.Row != nil && a.Kind == memory.ActionRemove:
		before = asObject(a.Row)
	case a.Row != nil:
		after = asObject(a.Row)
	default:
		names := a.After.Changed(a.Before)
		before, after = a.Before.Only(names), a.After.Only(names)
	}
	return map[string]any{
		"id": recordID("maintenance_action", a.ID), "run": recordID("maintenance_run", run),
		"memory": recordID("memory", a.Memory), "kind": a.Kind, "reason": a.Reason, "before": before, "after": after,
	}
}

// asObject converts a value to a JSON object.
func asObject(value any) map[string]any {
	object := map[string]any{}
	data, _ := json.Marshal(value) // states and rows hold nothing that JSON cannot
	_ = json.Unmarshal(data, &object)
	return object
}
