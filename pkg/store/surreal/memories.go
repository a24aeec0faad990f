package surreal

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const bestFirst = ` ORDER BY importance DESC, last_seen_at DESC, id LIMIT $limit`

// most returns limit, or the default for 0 and below.
func most(limit int) int { return cmp.Or(max(limit, 0), memory.DefaultLimit) }

func condition(f memory.Filter) (where string, vars map[string]any) {
	where, vars = "true", map[string]any{"limit": most(f.Limit)}
	if f.Project != "" {
		where, vars["project"] = "project = $project", f.Project
	}
	if f.Scope != "" {
		where += " AND scope = $scope"
		vars["scope"] = f.Scope
	}
	if f.Scope == memory.ScopeUser { // indexes begin with the project
		where += " AND project = ''"
	}
	where += oneOf("kind", f.Kinds, vars) + oneOf("status", f.Statuses, vars)
	return where, vars
}

// oneOf returns the condition that a field has one of the values, or "" if there are none. For one value the engine (3.0.2) uses
// an index; for a list it reads all rows of the project.
func oneOf[T ~string](field string, values []T, vars map[string]any) string {
	switch len(values) {
	case 0:
		return ""
	case 1:
		vars[field] = values[0]
		return " AND " + field + " = $" + field
	}
	vars[field] = values
	return " AND " + field + " IN $" + field
}

const decisionsSQL = `
SELECT record::id(memory) AS memory_id, run.started_at AS at, array::union(object::keys(before), object::keys(after)) AS fields
	FROM maintenance_action WHERE memory IN $ids AND kind IN $kinds;`

// Decisions implements storetest.Store.
func (s *Store) Decisions(ctx context.Context, ids []string) ([]memory.Decision, error) {
	return list(ctx, s, decisionCodec, "read what was decided about memories", decisionsSQL,
		map[string]any{"ids": memoryIDs(ids), "kinds": memory.DecisionKinds()})
}

var historySQL = `
SELECT ` + sightingCodec.all + ` FROM $id->seen_in ORDER BY at, id;
SELECT ` + injectionCodec.all + ` FROM injected_in WHERE in = $id ORDER BY at, id;
SELECT run.job AS job, run.trigger AS by, reason, run.started_at AS at, record::id(run) AS run_id
	FROM maintenance_action WHERE memory = $id ORDER BY at, run_id;`

// History implements storetest.Store.
func (s *Store) History(ctx context.Context, id string) (memory.History, error) {
	result, err := s.ask(ctx, "read the history of memory "+id, historySQL, map[string]any{"id": recordID("memory", id)})
	if err != nil {
		return memory.History{}, err
	}
	seen, errSeen := sightingCodec.decode(result, 0)
	injected, errInjected := injectionCodec.decode(result, 1)
	changes, errChanges := changeCodec.decode(result, 2)
	if err := errors.Join(errSeen, errInjected, errChanges); err != nil {
		return memory.History{}, fmt.Errorf("read the history of memory %s: %w", id, err)
	}
	return memory.History{ // encodes empty lists as [] in JSON
		Seen: append([]memory.Sighting{}, seen...), Injected: append([]memory.Injection{}, injected...),
		Changes: append([]memory.ChangeRecord{}, changes...),
	}, nil
}
