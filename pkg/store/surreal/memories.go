package surreal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const bestFirst = ` ORDER BY importance DESC, last_seen_at DESC, id LIMIT $limit`

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
	if f.Scope == memory.ScopeUser { // indexes begin with the project, which the user's own memories do not have
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

func (s *Store) Decisions(ctx context.Context, ids []string) ([]memory.Decision, error) {
	return list(ctx, s, decisionCodec, "read what was decided about memories", decisionsSQL,
		map[string]any{"ids": memoryIDs(ids), "kinds": memory.DecisionKinds()})
}

var historySQL = `
SELECT ` + sightingCodec.all + ` FROM $id->seen_in ORDER BY at, id;
SELECT ` + injectionCodec.all + ` FROM injected_in WHERE in = $id ORDER BY at, id;
SELECT run.job AS job, run.trigger AS by, reason, run.started_at AS at, record::id(run) AS run_id
	FROM maintenance_action WHERE memory = $id ORDER BY at, run_id;`

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

func (s *Store) Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error) {
	switch q := q.(type) {
	case memory.WithIDs:
		return list(ctx, s, rowCodec, fmt.Sprintf("read %d rows", len(q)), witnessedSQL, map[string]any{"ids": memoryIDs(q)})
	case memory.IDPrefix:
		which := recordID("memory", string(q))
		if memory.IsIDPrefix(string(q)) {
			which = beginningWith("memory", string(q))
		}
		return list(ctx, s, rowCodec, "read memory "+string(q), "SELECT "+rowCodec.all+" FROM $which LIMIT $limit",
			map[string]any{"which": which, "limit": memory.MaxPrefixMatches})
	case memory.Filter:
		where, vars := condition(q)
		return list(ctx, s, rowCodec, "list memories", "SELECT "+rowCodec.all+" FROM memory WHERE "+where+bestFirst, vars)
	case memory.Page:
		return s.page(ctx, q)
	}
	panic(fmt.Sprintf("there is no query of the type %T", q))
}

// pageSQL orders by all fields of the index memory_pages, so that the engine reads no more rows than the limit.
var pageSQL = "SELECT " + rowCodec.all + ", page_order FROM memory WHERE project = $project AND status = $status AND page_order > $after" +
	" ORDER BY project, status, page_order LIMIT $limit"

// pageRows is the maximum number of rows of one answer: the engine would need gigabytes for a large project.
const pageRows = 1000

// page reads the rows with one status, page by page up to q.Limit.
func (s *Store) page(ctx context.Context, q memory.Page) ([]memory.Row, error) {
	var all []memory.Row
	for {
		limit := min(q.Limit-len(all), pageRows)
		some, err := list(ctx, s, rowCodec, fmt.Sprintf("list the %s memories of %q", q.Status, q.Project),
			pageSQL, map[string]any{
				"project": q.Project, "status": string(q.Status),
				"after": q.After, "limit": limit,
			})
		if all = append(all, some...); err != nil || len(some) < limit || len(all) == q.Limit {
			return all, err
		}
		q.After = memory.PageOrder(all[len(all)-1])
	}
}

// witnessedSQL counts the sessions and projects that have seen a memory, or a memory that was merged into it.
var witnessedSQL = `
SELECT *, math::max([sessions, array::len(array::distinct(seen))]) AS sessions,
	math::max([projects, array::len(array::distinct(seen.project))]) AS projects
	FROM (SELECT ` + rowCodec.all + `, IF array::is_empty(derived_from) { ->seen_in.out } ELSE {
		array::flatten(SELECT VALUE ->seen_in.out FROM array::concat([$parent.id], $parent.derived_from.map(|$d| type::record('memory', $d)))
			WHERE id = $parent.id OR merged_into = record::id($parent.id))
	} AS seen FROM $ids WHERE id != NONE)`

// changeSQL reads a page of changed rows. sameSQL reads all rows that changed at the same instant as the last row of a
// page, because the next page would miss them.
var (
	changeSQL = "SELECT " + rowCodec.all + " FROM memory WHERE changed_at > $after ORDER BY changed_at LIMIT $limit"
	sameSQL   = "SELECT " + rowCodec.all + " FROM memory WHERE changed_at = $last"
)

// Changed implements storetest.Store. A page may exceed the limit by rows that changed at the same instant.
func (s *Store) Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	rows, err := list(ctx, s, rowCodec, "read the changes", changeSQL, map[string]any{"after": int64(q.After), "limit": q.Limit})
	if err != nil || len(rows) == 0 {
		return memory.ChangePage{Cursor: q.After, Last: true}, err
	}
	last := rows[len(rows)-1].Cursor
	page := memory.ChangePage{Rows: rows, Cursor: last, Last: len(rows) < q.Limit}
	if page.Last {
		return page, nil
	}
	same, err := list(ctx, s, rowCodec, "read the changes", sameSQL, map[string]any{"last": int64(last)})
	if err != nil {
		return memory.ChangePage{Cursor: q.After}, err
	}
	page.Rows = append(slices.DeleteFunc(rows, func(r memory.Row) bool { return r.Cursor == last }), same...)
	return page, nil
}
