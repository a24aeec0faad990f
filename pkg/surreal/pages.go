package surreal

import (
	"context"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The order is that of the index memory_pages, all fields of it: then the engine reads no
// more rows than the limit.
var pageSQL = "SELECT " + rowFields + ", page_order FROM memory WHERE project = $project AND status = $status AND page_order > $after" +
	" ORDER BY project, status, page_order LIMIT $limit"

// Page implements storetest.Store.
func (s *Store) Page(ctx context.Context, q memory.PageQuery) ([]memory.Paged, error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	result, err := s.conn.ExecIdempotent(ctx, pageSQL, map[string]any{
		"project": q.Project, "status": string(q.Status), "after": q.After, "limit": q.Limit,
	})
	if err != nil {
		return nil, fmt.Errorf("list the %s memories of %q: %w", q.Status, q.Project, domain(err))
	}
	rows, err := rowCodec.decode(result, 0)
	if err != nil {
		return nil, fmt.Errorf("list the %s memories of %q: %w", q.Status, q.Project, err)
	}
	var orders []struct {
		Order string `json:"page_order"`
	}
	if err := result.Decode(0, &orders); err != nil {
		return nil, fmt.Errorf("list the %s memories of %q: %w", q.Status, q.Project, err)
	}
	page := make([]memory.Paged, len(rows))
	for i, row := range rows {
		page[i] = memory.Paged{Row: row, Order: orders[i].Order}
	}
	return page, nil
}

var judgedSQL = "SELECT " + memoryFields + " FROM memory WHERE verdict = 'confirmed'; SELECT " + memoryFields + " FROM memory WHERE verdict = 'put_away'"

// Judged implements storetest.Store.
func (s *Store) Judged(ctx context.Context) ([]memory.Memory, error) {
	result, err := s.conn.ExecIdempotent(ctx, judgedSQL, nil)
	if err != nil {
		return nil, fmt.Errorf("read people's verdicts: %w", domain(err))
	}
	var all []memory.Memory
	for i := range result {
		found, err := memoryCodec.decode(result, i)
		if err != nil {
			return nil, fmt.Errorf("read people's verdicts: %w", err)
		}
		all = append(all, found...)
	}
	return all, nil
}
