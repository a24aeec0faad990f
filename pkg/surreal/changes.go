package surreal

import (
	"context"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// changeSQL reads the changed rows, and sameSQL those that changed at the same instant as
// the last one of a page, which the next page would miss. They return whether a row is
// searchable instead of filtering by it, because the engine applies LIMIT before all
// conditions other than the indexed one.
var (
	changeFields = "record::id(id) AS id, changed_at, " + searchableSQL + " AS searchable"
	changeSQL    = "SELECT " + changeFields + " FROM memory WHERE changed_at > $after ORDER BY changed_at LIMIT $limit"
	sameSQL      = "SELECT " + changeFields + " FROM memory WHERE changed_at = $last"
)

// Changed implements storetest.Store. A page may have more rows than the limit if they
// changed at the same instant.
func (s *Store) Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	changes, err := s.changes(ctx, changeSQL, map[string]any{"after": int64(q.After), "limit": q.Limit})
	if err != nil || len(changes) == 0 {
		return memory.ChangePage{Cursor: q.After, Last: true}, err
	}
	last := changes[len(changes)-1].ChangedAt
	page := memory.ChangePage{Cursor: memory.ChangeCursor(last), Last: len(changes) < q.Limit}
	if !page.Last {
		same, err := s.changes(ctx, sameSQL, map[string]any{"last": last})
		if err != nil {
			return memory.ChangePage{Cursor: q.After}, err
		}
		changes = append(slices.DeleteFunc(changes, func(c change) bool { return c.ChangedAt == last }), same...)
	}
	var ids []string
	for _, c := range changes {
		if c.Searchable {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return page, nil
	}
	// In order. Rows that have changed since appear again on a later page.
	page.Rows, err = list(ctx, s, rowCodec, "read the changed rows",
		"SELECT "+rowFields+" FROM $ids WHERE id != NONE AND changed_at <= $last",
		map[string]any{"ids": memoryIDs(ids), "last": last})
	if err != nil {
		page.Cursor = q.After
	}
	return page, err
}

// change is a changed row and whether it is searchable.
type change struct {
	ID         string `json:"id"`
	ChangedAt  int64  `json:"changed_at"`
	Searchable bool   `json:"searchable"`
}

func (s *Store) changes(ctx context.Context, sql string, vars map[string]any) ([]change, error) {
	return value[[]change](ctx, s, "read the changes", sql, vars)
}
