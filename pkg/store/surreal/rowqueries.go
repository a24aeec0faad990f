package surreal

import (
	"context"
	"errors"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Rows implements storetest.Store.
func (s *Store) Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error) {
	switch q := q.(type) {
	case memory.WithIDs:
		return s.witnessed(ctx, q)
	case memory.IDPrefix:
		return s.beginning(ctx, string(q))
	case memory.Filter:
		return s.filtered(ctx, q)
	case memory.Uncounted:
		rows, err := list(ctx, s, rowCodec, "find memories not counted by "+q.Encoding, uncountedSQL,
			map[string]any{"encoding": q.Encoding, "limit": q.Limit})
		return rows[:min(q.Limit, len(rows))], err
	case memory.Page:
		return s.page(ctx, q)
	}
	panic(fmt.Sprintf("there is no query of the type %T", q))
}

// uncountedSQL has two ranges instead of !=, so that the engine uses the index on the encoding.
var uncountedSQL = `
SELECT ` + rowFields + ` FROM memory WHERE token_encoding < $encoding LIMIT $limit;
SELECT ` + rowFields + ` FROM memory WHERE token_encoding > $encoding LIMIT $limit`

// pageSQL orders by all fields of the index memory_pages, so that the engine reads no more rows than the limit.
var pageSQL = "SELECT " + rowFields + ", page_order FROM memory WHERE project = $project AND status = $status AND page_order > $after" +
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

const seenFields = `, array::len(array::distinct(->seen_in.out)) AS seen_sessions
	, array::len(array::distinct(->seen_in.out.project)) AS seen_projects`

// witnessed reads rows with the numbers of sessions and projects that have seen them.
func (s *Store) witnessed(ctx context.Context, ids []string) ([]memory.Row, error) {
	purpose := fmt.Sprintf("read %d rows", len(ids))
	result, err := s.ask(ctx, purpose, "SELECT "+rowFields+seenFields+" FROM $ids WHERE id != NONE",
		map[string]any{"ids": memoryIDs(ids)})
	if err != nil {
		return nil, err
	}
	rows, errRows := rowCodec.decode(result, 0)
	seen, errSeen := last[[]struct {
		Sessions int `json:"seen_sessions"`
		Projects int `json:"seen_projects"`
	}](result, purpose)
	if err := errors.Join(errRows, errSeen); err != nil {
		return nil, err
	}
	for i, counted := range seen {
		rows[i].Sessions, rows[i].Projects = max(rows[i].Sessions, counted.Sessions), max(rows[i].Projects, counted.Projects)
	}
	return rows, nil
}
