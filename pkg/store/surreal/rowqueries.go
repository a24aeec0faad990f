package surreal

import (
	"context"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Rows implements storetest.Store.
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
