package surreal

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/surrealdb/surrealdb.go/pkg/models"

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
	token_count = $now.token_count, token_encoding = $now.token_encoding
WHERE project = $was.project AND scope = $was.scope AND status = $was.status AND detail = $was.detail AND tags = $was.tags
	AND importance = $was.importance AND pinned = $was.pinned AND last_seen_at = $was.last_seen_at
RETURN VALUE true);
IF array::len($done) > 0 {
	INSERT IGNORE INTO memory $successors RETURN NONE;
	FOR $row IN $successors {
		UPDATE $row.id SET status = $row.status, detail = $row.detail, search_text = $row.search_text
			WHERE status != $row.status RETURN NONE;
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
	now := after
	successors, edges := []map[string]any{}, []map[string]any{}
	if after.ID != before.ID {
		now = c.Superseded(before, after)
		successors = append(successors, memoryRow(after))
		edges = append(edges, map[string]any{
			"id": recordID("supersedes", after.ID+"-"+before.ID),
			"in": recordID("memory", after.ID), "out": recordID("memory", before.ID), "at": at(c.At),
		})
	}
	run := memory.AmendRun(before.ID, c)
	result, err := s.conn.execIdempotent(ctx, amendSQL, map[string]any{
		"id": recordID("memory", before.ID), "was": withoutID(memoryRow(before)), "now": withoutID(memoryRow(now)),
		"successors": successors, "edges": edges,
		"run_id": recordID("maintenance_run", run.ID), "run": []map[string]any{runRow(run)},
		"actions": []map[string]any{{
			"id": recordID("maintenance_action", run.Actions[0].ID), "run": recordID("maintenance_run", run.ID),
			"memory": recordID("memory", before.ID), "reason": c.Reason,
			"before": amendedFields(before), "after": amendedFields(after),
		}},
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

// amendedFields is what of a memory a change can change, with its id.
func amendedFields(m memory.Memory) map[string]any {
	return map[string]any{
		"memory": m.ID, "project": m.Project, "scope": string(m.Scope), "status": string(m.Status), "detail": m.Detail,
		"tags": append([]string{}, m.Tags...), "importance": m.Importance, "pinned": m.Pinned,
	}
}

const expandSQL = "SELECT VALUE record::id(id) FROM $range LIMIT 2"

// ExpandID implements memory.Store.
func (s *Store) ExpandID(ctx context.Context, beginning string) (string, error) {
	if !memory.IsIDBeginning(beginning) {
		return memory.OnlyID(beginning, nil)
	}
	result, err := s.conn.execIdempotent(ctx, expandSQL, map[string]any{
		"range": models.RecordID{Table: "memory", ID: &models.Range[string, models.BoundIncluded[string], models.BoundExcluded[string]]{
			Begin: &models.BoundIncluded[string]{Value: beginning},
			End:   &models.BoundExcluded[string]{Value: beginning + "g"}, // after every digit
		}},
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
