package surreal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// beginning reads the memories whose ids have a common beginning.
func (s *Store) beginning(ctx context.Context, id string) ([]memory.Row, error) {
	which := recordID("memory", id)
	if memory.IsIDBeginning(id) {
		which = beginningWith("memory", id)
	}
	return list(ctx, s, rowCodec, "read memory "+id, "SELECT "+rowFields+" FROM $which LIMIT $limit",
		map[string]any{"which": which, "limit": memory.MostBeginning})
}

const bestFirst = ` ORDER BY importance DESC, last_seen_at DESC, id LIMIT $limit`

// filtered reads the memories that a filter selects.
func (s *Store) filtered(ctx context.Context, f memory.Filter) ([]memory.Row, error) {
	where, vars := condition(f)
	vars["limit"] = most(f.Limit)
	return list(ctx, s, rowCodec, "list memories", "SELECT "+rowFields+" FROM memory WHERE "+where+bestFirst, vars)
}

// most returns a limit, or the default for none.
func most(limit int) int { return cmp.Or(max(limit, 0), memory.DefaultLimit) }

// condition returns the WHERE clause of a filter.
func condition(f memory.Filter) (where string, vars map[string]any) {
	where, vars = "true", map[string]any{}
	if f.Project != "" {
		where, vars = "project = $project", map[string]any{"project": f.Project}
	}
	if f.Scope != "" {
		where += " AND scope = $scope"
		vars["scope"] = string(f.Scope)
	}
	if f.Scope == memory.ScopeUser { // indexes begin with the project
		where += " AND project = ''"
	}
	where += oneOf("kind", f.Kinds, vars) + oneOf("status", f.Statuses, vars)
	return where, vars
}

// oneOf returns the condition that a field has one of the values, if there are any. An index serves the
// comparison with one value; for a list the engine (3.0.2) reads all rows of the project.
func oneOf[T ~string](field string, values []T, vars map[string]any) string {
	switch len(values) {
	case 0:
		return ""
	case 1:
		vars[field] = string(values[0])
		return " AND " + field + " = $" + field
	}
	vars[field] = texts(values)
	return " AND " + field + " IN $" + field
}

// recallableIDsSQL reads the ids of the recallable rows with one statement for each owner: for a list the engine (3.0.2)
// would read all rows.
const recallableIDsSQL = "SELECT VALUE record::id(id) FROM memory WHERE project = $project AND status = 'active';" +
	"SELECT VALUE record::id(id) FROM memory WHERE project = '' AND status = 'active';"

// recallableSQL reads a page of these rows, and checks again those that changed since.
var recallableSQL = "SELECT " + rowFields + " FROM $ids WHERE id != NONE AND status = 'active' AND project IN [$project, '']"

// Recallable implements storetest.Store. It does not count the sessions and projects of
// the rows.
func (s *Store) Recallable(ctx context.Context, project string, size int, visit func([]memory.Row) error) error {
	purpose := fmt.Sprintf("read the recallable memories of %q", project)
	ids, err := s.recallableIDs(ctx, purpose, project)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(ids, size) {
		rows, err := list(ctx, s, rowCodec, purpose, recallableSQL, map[string]any{"ids": memoryIDs(some), "project": project})
		if err != nil {
			return err
		}
		if err := visit(rows); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) recallableIDs(ctx context.Context, purpose, project string) ([]string, error) {
	result, err := s.askFor(ctx, wire.PageTime, purpose, recallableIDsSQL, map[string]any{"project": project})
	if err != nil {
		return nil, err
	}
	var all []string
	for i := range result {
		var ids []string
		if err := result.Decode(i, &ids); err != nil {
			return nil, fmt.Errorf("%s: %w", purpose, err)
		}
		all = append(all, ids...)
	}
	slices.Sort(all) // the order of the table
	return slices.Compact(all), nil
}

var historySQL = `
SELECT ` + sightingFields + ` FROM $id->seen_in ORDER BY at, id;
SELECT ` + injectionFields + ` FROM injected_in WHERE in = $id ORDER BY at, id;
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
	return memory.History{ // "[]" as JSON if there are none
		Seen: append([]memory.Sighting{}, seen...), Injected: append([]memory.Injection{}, injected...),
		Changes: append([]memory.ChangeRecord{}, changes...),
	}, nil
}
