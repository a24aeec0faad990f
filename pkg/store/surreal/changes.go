package surreal

import (
	"context"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// changeSQL reads a page of changed rows. sameSQL reads all rows that changed at the same instant as the last row of a
// page, because the next page would miss them.
var (
	changeSQL = "SELECT " + rowCodec.all + " FROM memory WHERE changed_at > $after ORDER BY changed_at LIMIT $limit"
	sameSQL   = "SELECT " + rowCodec.all + " FROM memory WHERE changed_at = $last"
)

// Changed implements storetest.Store. A page may have more rows than the limit if they
// changed at the same instant.
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
