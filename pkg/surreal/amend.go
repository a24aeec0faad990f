package surreal

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// amendSQL writes a change if the memory still is as it was read. Whether it was
// written, by this query or by an earlier one whose answer got lost, is told by
// the run that records it.
const amendSQL = `
BEGIN;
LET $done = (UPDATE $id SET
	project = $now.project, scope = $now.scope, status = $now.status, detail = $now.detail, tags = $now.tags,
	importance = $now.importance, pinned = $now.pinned, search_text = $now.search_text,
	token_count = $now.token_count, token_encoding = $now.token_encoding, superseded_by = $superseded_by,
	put_away = IF $now.status = status THEN put_away ELSE $now.status = 'archived' END,
	retired_at = IF $now.status = status THEN retired_at ELSE IF $now.status = 'archived' THEN $at ELSE d'1970-01-01T00:00:00Z' END END,
	used_at = IF $now.status = 'active' AND status != 'active' THEN $at ELSE used_at END,
	used_on = IF $now.status = 'active' AND status != 'active' THEN -1 ELSE used_on END,
	due_on = 0, changed_at = time::nano()
WHERE project = $was.project AND scope = $was.scope AND status = $was.status AND detail = $was.detail AND tags = $was.tags
	AND importance = $was.importance AND pinned = $was.pinned AND last_seen_at = $was.last_seen_at
RETURN VALUE true);
IF array::len($done) > 0 {
	INSERT IGNORE INTO memory $successors RETURN NONE;
	FOR $row IN $successors {
		UPDATE $row.id SET status = $row.status, detail = $row.detail, search_text = $row.search_text, superseded_by = '',
			put_away = false, due_on = 0, changed_at = time::nano() WHERE status != $row.status OR superseded_by != '' RETURN NONE;
	};
	INSERT RELATION IGNORE INTO supersedes $edges RETURN NONE;
	INSERT IGNORE INTO maintenance_run $run RETURN NONE;
	INSERT IGNORE INTO maintenance_action $actions RETURN NONE;
};
COMMIT;
SELECT VALUE true FROM $run_id;`

// mostRaces bounds how often a change is planned again because the memory has
// changed in between.
const mostRaces = 10

var errRace = errors.New("the memory keeps changing: try again")

// Amend implements memory.Store.
func (s *Store) Amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error) {
	s.amending.Lock()
	defer s.amending.Unlock()
	for range mostRaces {
		before, err = s.Memory(ctx, id)
		if err != nil {
			return before, after, fmt.Errorf("change: %w", err)
		}
		after, err = c.Apply(before)
		if err != nil || reflect.DeepEqual(before, after) {
			return before, after, err
		}
		written, err := s.amend(ctx, before, after, c)
		if err != nil {
			return before, after, fmt.Errorf("change memory %s: %w", id, domain(err))
		}
		if written {
			after, err = s.Memory(ctx, after.ID) // a successor may have been there
			return before, after, err
		}
	}
	return before, after, fmt.Errorf("change memory %s: %w", id, errRace)
}

// amend writes the change and tells whether the memory still was as before.
func (s *Store) amend(ctx context.Context, before, after memory.Memory, c memory.Change) (bool, error) {
	now, supersededBy := after, ""
	successors, edges := []map[string]any{}, []map[string]any{}
	if after.ID != before.ID {
		now, supersededBy = c.Superseded(before, after), after.ID
		successors = append(successors, memoryRow(after))
		edges = append(edges, edgeRow("supersedes", after.ID, before.ID, c.At))
	}
	run := memory.AmendRun(before, after, c)
	result, err := s.conn.execIdempotent(ctx, amendSQL, map[string]any{
		"id": recordID("memory", before.ID), "was": withoutID(memoryRow(before)), "now": withoutID(memoryRow(now)),
		"successors": successors, "edges": edges,
		"run_id": recordID("maintenance_run", run.ID), "run": []map[string]any{runRow(run)},
		"actions":       rows(run.Actions, func(a memory.Action) map[string]any { return actionRow(run.ID, a) }),
		"superseded_by": supersededBy, "at": at(c.At),
	})
	if err != nil {
		return false, err
	}
	var recorded []bool
	err = result.decode(len(result)-1, &recorded)
	return len(recorded) > 0, err
}

func withoutID(row map[string]any) map[string]any {
	delete(row, "id")
	return row
}

const expandSQL = "SELECT VALUE record::id(id) FROM $range LIMIT 2"

// ExpandID implements memory.Store.
func (s *Store) ExpandID(ctx context.Context, beginning string) (string, error) {
	if !memory.IsIDBeginning(beginning) {
		return memory.OnlyID(beginning, nil)
	}
	result, err := s.conn.execIdempotent(ctx, expandSQL, map[string]any{
		"range": beginningWith("memory", beginning),
	})
	if err != nil {
		return "", fmt.Errorf("find the memory %s: %w", beginning, domain(err))
	}
	var ids []string
	if err := result.decode(0, &ids); err != nil {
		return "", fmt.Errorf("find the memory %s: %w", beginning, err)
	}
	return memory.OnlyID(beginning, ids)
}

const aroundSQL = `
SELECT ` + memoryFields + ` FROM memory WHERE project = $project AND status = 'active' AND last_seen_at <= $at
	ORDER BY last_seen_at DESC, id DESC LIMIT $before;
SELECT ` + memoryFields + ` FROM memory WHERE project = $project AND status = 'active' AND last_seen_at > $at
	ORDER BY last_seen_at, id LIMIT $after;`

// Around implements memory.Store.
func (s *Store) Around(ctx context.Context, q memory.AroundQuery) ([]memory.Memory, error) {
	result, err := s.conn.execIdempotent(ctx, aroundSQL, map[string]any{
		"project": q.Project, "at": at(q.At), "before": q.Before, "after": q.After,
	})
	if err != nil {
		return nil, fmt.Errorf("read what is around %s: %w", q.At, domain(err))
	}
	until, errUntil := decodeMemories(result, 0)
	later, errLater := decodeMemories(result, 1)
	if err := errors.Join(errUntil, errLater); err != nil {
		return nil, fmt.Errorf("read what is around %s: %w", q.At, err)
	}
	slices.Reverse(until)
	return append(until, later...), nil
}
