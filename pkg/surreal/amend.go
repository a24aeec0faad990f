package surreal

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// amendSQL writes a change if the memory still is as it was read. The run that records
// the change tells whether it was written, by this query or by an earlier one whose
// answer was lost.
const amendSQL = `
BEGIN;
LET $done = (UPDATE $id MERGE object::extend($set, { changed_at: time::nano(), due_on: 0 })
WHERE project = $was.project AND scope = $was.scope AND status = $was.status AND kind = $was.kind AND detail = $was.detail AND tags = $was.tags
	AND importance = $was.importance AND pinned = $was.pinned AND last_seen_at = $was.last_seen_at
RETURN VALUE true);
IF array::len($done) > 0 {
	INSERT IGNORE INTO memory $successors RETURN NONE;
	FOR $row IN $successors {
		UPDATE $row.id SET status = $row.status, content = $row.content, detail = $row.detail,
			superseded_by = '', merged_into = '', retired_at = $row.retired_at, used_at = $row.used_at, used_on = -1,
			put_away = false, due_on = 0, changed_at = time::nano()
		WHERE status != $row.status OR superseded_by != '' RETURN NONE;
	};
	INSERT RELATION IGNORE INTO supersedes $edges RETURN NONE;
	INSERT IGNORE INTO maintenance_run $run RETURN NONE;
	INSERT IGNORE INTO maintenance_action $actions RETURN NONE;
};
COMMIT;
SELECT VALUE true FROM $run_id;`

// mostRaces bounds how often a change is planned again because the memory changed in
// between.
const mostRaces = 10

var errRace = errors.New("the rows keep changing: try again")

// Amend implements storetest.Store.
func (s *Store) Amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error) {
	s.amending.Lock()
	defer s.amending.Unlock()
	for range mostRaces {
		row, err := s.row(ctx, id)
		if err != nil {
			return before, after, err
		}
		before = row.Memory
		after, err = c.Apply(before)
		if err != nil || reflect.DeepEqual(before, after) {
			return before, after, err
		}
		written, err := s.amend(ctx, row, after, c)
		if err != nil {
			return before, after, err
		}
		if written {
			after, err = s.Memory(ctx, after.ID) // a successor may have been there
			return before, after, err
		}
	}
	return before, after, fmt.Errorf("change memory %s: %w", id, errRace)
}

// row reads a row, without the numbers of its sessions and projects.
func (s *Store) row(ctx context.Context, id string) (memory.Row, error) {
	found, err := list(ctx, s, rowCodec, "change: read memory "+id, "SELECT "+rowFields+" FROM $id", map[string]any{"id": recordID("memory", id)})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("change: read memory %s: %w", id, memory.ErrNotFound)
	}
	if err != nil {
		return memory.Row{}, err
	}
	return found[0], nil
}

// amend writes the change and tells whether the memory was unchanged until then.
func (s *Store) amend(ctx context.Context, row memory.Row, after memory.Memory, c memory.Change) (bool, error) {
	before, next := row.Memory, c.Amended(row, after)
	successors, edges := []map[string]any{}, []map[string]any{}
	if after.ID != before.ID {
		next = c.Amended(row, c.Superseded(before, after))
		next.SupersededBy = after.ID
		successors = append(successors, rowCodec.row(c.Successor(row, after)))
		edges = append(edges, edgeRow("supersedes", after.ID, before.ID, c.At))
	}
	set := rowCodec.row(next)
	delete(set, "id")
	run := memory.AmendRun(before, after, c)
	recorded, err := value[[]bool](ctx, s, "change memory "+before.ID, amendSQL, map[string]any{
		"id": recordID("memory", before.ID), "was": memoryCodec.row(before), "set": set,
		"successors": successors, "edges": edges,
		"run_id": recordID("maintenance_run", run.ID), "run": runCodec.rows([]memory.Run{run}),
		"actions": rows(run.Actions, func(a memory.Action) map[string]any { return actionRow(run.ID, a) }),
	})
	return len(recorded) > 0, err
}
