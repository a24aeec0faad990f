package surreal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/surrealdb/surrealdb.go/pkg/models"

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
	return rows, s.countMerged(ctx, rows)
}

const mergedSQL = `
SELECT record::id(id) AS id, merged_into, ->seen_in.out AS sessions, ->seen_in.out.project AS projects
	FROM $ids WHERE id != NONE`

// countMerged sets the numbers of sessions and projects of each row that other rows were merged into, counted over all these rows.
func (s *Store) countMerged(ctx context.Context, rows []memory.Row) error {
	var ids []string
	for _, row := range rows {
		if len(row.DerivedFrom) > 0 {
			ids = append(append(ids, row.Memory.ID), row.DerivedFrom...)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	found, err := value[[]struct {
		ID         string            `json:"id"`
		MergedInto string            `json:"merged_into"`
		Sessions   []models.RecordID `json:"sessions"`
		Projects   []string          `json:"projects"`
	}](ctx, s, "count the sessions of merged memories", mergedSQL, map[string]any{"ids": memoryIDs(slices.Compact(ids))})
	if err != nil {
		return err
	}
	sessions, projects := map[string]map[string]bool{}, map[string]map[string]bool{}
	note := func(sets map[string]map[string]bool, survivor string, names []string) {
		if sets[survivor] == nil {
			sets[survivor] = map[string]bool{}
		}
		for _, name := range names {
			sets[survivor][name] = true
		}
	}
	for _, one := range found {
		survivor := cmp.Or(one.MergedInto, one.ID)
		note(sessions, survivor, names(one.Sessions))
		note(projects, survivor, one.Projects)
	}
	for i := range rows {
		id := rows[i].Memory.ID
		rows[i].Sessions = max(rows[i].Sessions, len(sessions[id]))
		rows[i].Projects = max(rows[i].Projects, len(projects[id]))
	}
	return nil
}

func names(records []models.RecordID) []string {
	all := make([]string, 0, len(records))
	for _, record := range records {
		all = append(all, record.String())
	}
	return all
}
