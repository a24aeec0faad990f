package surreal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Edits and successful commands stay with their session whoever saw them.
var evidenceFields = `, IF ` + searchableSQL + ` THEN array::len(array::distinct(->seen_in.out)) ELSE 0 END AS seen_sessions
	, IF ` + searchableSQL + ` THEN array::len(array::distinct(->seen_in.out.project)) ELSE 0 END AS seen_projects`

// searchableSQL is memory.Kind.Searchable of a row's kind.
var searchableSQL = "kind NOT IN ['" + strings.Join(texts(memory.RecordKinds()), "', '") + "']"

// newMemoryRows are the memories of a batch as rows that are new.
func newMemoryRows(b memory.Batch) (ids []models.RecordID, rows map[string]map[string]any) {
	projects := make(map[string]string, len(b.Sessions))
	for _, s := range b.Sessions {
		projects[s.ID] = s.Project
	}
	rows = make(map[string]map[string]any, len(b.Memories))
	for _, m := range b.Memories {
		row := memoryRow(m)
		row["used_at"] = row["created_at"]
		row["home"] = m.Project
		if m.Project == "" {
			row["home"] = projects[m.Session]
		}
		ids = append(ids, recordID("memory", m.ID))
		rows[m.ID] = row
	}
	return ids, rows
}

func (s *Store) selectRows(ctx context.Context, sql string, vars map[string]any) ([]memory.Row, error) {
	result, err := s.conn.ExecIdempotent(ctx, sql, vars)
	if err != nil {
		return nil, domain(err)
	}
	return rowCodec.decode(result, 0)
}

func memoryIDs(ids []string) []models.RecordID { return recordIDs("memory", ids) }

func names(records []models.RecordID) []string {
	all := make([]string, 0, len(records))
	for _, record := range records {
		all = append(all, record.String())
	}
	return all
}

// Rows implements storetest.Store.
func (s *Store) Rows(ctx context.Context, ids []string) ([]memory.Row, error) {
	sql := "SELECT " + rowFields + evidenceFields + " FROM $ids WHERE id != NONE"
	result, err := s.conn.ExecIdempotent(ctx, sql, map[string]any{"ids": memoryIDs(ids)})
	if err != nil {
		return nil, fmt.Errorf("read %d rows: %w", len(ids), domain(err))
	}
	rows, errRows := rowCodec.decode(result, 0)
	var seen []struct { // the SDK cannot decode into an embedded struct
		Sessions int `json:"seen_sessions"`
		Projects int `json:"seen_projects"`
	}
	if err := errors.Join(errRows, result.Decode(0, &seen)); err != nil {
		return nil, fmt.Errorf("read %d rows: %w", len(ids), err)
	}
	for i, counted := range seen {
		rows[i].Sessions, rows[i].Projects = max(rows[i].Sessions, counted.Sessions), max(rows[i].Projects, counted.Projects)
	}
	return rows, s.countMerged(ctx, rows)
}

const mergedSQL = `
SELECT record::id(id) AS id, merged_into, ->seen_in.out AS sessions, ->seen_in.out.project AS projects
	FROM $ids WHERE id != NONE`

// countMerged counts for rows that took others in the sessions and projects of
// all of them together.
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
	result, err := s.conn.ExecIdempotent(ctx, mergedSQL, map[string]any{"ids": memoryIDs(slices.Compact(ids))})
	if err != nil {
		return fmt.Errorf("count the sessions of merged memories: %w", domain(err))
	}
	var found []struct {
		ID         string            `json:"id"`
		MergedInto string            `json:"merged_into"`
		Sessions   []models.RecordID `json:"sessions"`
		Projects   []string          `json:"projects"`
	}
	if err := result.Decode(0, &found); err != nil {
		return fmt.Errorf("count the sessions of merged memories: %w", err)
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
		survivor := one.ID
		if one.MergedInto != "" {
			survivor = one.MergedInto
		}
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
