package surreal

import (
	"context"
	"fmt"
	"slices"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	standingFields = `home, uses, sessions, projects, used_at, used_on, retired_at, user_written, done, kept,
	superseded_by, merged_into, derived_from, changed_at, due_on`
	rowFields = memoryFields + ", " + standingFields
	// bareFields are what a row is without what it says.
	bareFields = `record::id(id) AS id, project, scope, type, kind, status, source, importance, pinned, created_at, last_seen_at,
	home, uses, sessions, projects, used_at, used_on, retired_at, user_written, done, kept, superseded_by, merged_into,
	changed_at, due_on`
	// Edits and successful commands stay with their session whoever saw them.
	evidenceFields = `, IF search_text = NONE THEN 0 ELSE array::len(array::distinct(->seen_in.out)) END AS seen_sessions
	, IF search_text = NONE THEN 0 ELSE array::len(array::distinct(->seen_in.out.project)) END AS seen_projects`
)

// newMemoryRows are the memories of a batch as rows that are new.
func newMemoryRows(b memory.Batch) []map[string]any {
	projects := make(map[string]string, len(b.Sessions))
	for _, s := range b.Sessions {
		projects[s.ID] = s.Project
	}
	all := make([]map[string]any, 0, len(b.Memories))
	for _, m := range b.Memories {
		row := memoryRow(m)
		row["used_at"] = row["created_at"]
		row["home"] = m.Project
		if m.Project == "" {
			row["home"] = projects[m.Session]
		}
		all = append(all, row)
	}
	return all
}

// fullRow is a row with its standing.
func fullRow(r memory.Row) map[string]any {
	row := memoryRow(r.Memory)
	row["home"], row["uses"], row["sessions"], row["projects"] = r.Home, r.Uses, r.Sessions, r.Projects
	row["used_at"], row["used_on"], row["retired_at"] = at(r.UsedAt), r.UsedOn, at(r.RetiredAt)
	row["user_written"], row["done"], row["kept"] = r.UserWritten, r.Done, r.Kept
	row["superseded_by"], row["merged_into"] = r.SupersededBy, r.MergedInto
	row["derived_from"] = append([]string{}, r.DerivedFrom...)
	return row
}

type standingRecord struct {
	Home         string                `json:"home"`
	Uses         int                   `json:"uses"`
	Sessions     int                   `json:"sessions"`
	Projects     int                   `json:"projects"`
	UsedAt       models.CustomDateTime `json:"used_at"`
	UsedOn       float64               `json:"used_on"`
	RetiredAt    models.CustomDateTime `json:"retired_at"`
	UserWritten  bool                  `json:"user_written"`
	Done         bool                  `json:"done"`
	Kept         bool                  `json:"kept"`
	SupersededBy string                `json:"superseded_by"`
	MergedInto   string                `json:"merged_into"`
	DerivedFrom  []string              `json:"derived_from"`
	ChangedAt    int64                 `json:"changed_at"`
	DueOn        float64               `json:"due_on"`
	SeenSessions int                   `json:"seen_sessions"`
	SeenProjects int                   `json:"seen_projects"`
}

func (r standingRecord) row(m memory.Memory) memory.Row {
	row := memory.Row{
		Memory: m, Home: r.Home, Uses: r.Uses, Sessions: max(r.Sessions, r.SeenSessions), Projects: max(r.Projects, r.SeenProjects),
		UsedAt: instant(r.UsedAt), UsedOn: r.UsedOn, RetiredAt: instant(r.RetiredAt),
		UserWritten: r.UserWritten, Done: r.Done, Kept: r.Kept,
		SupersededBy: r.SupersededBy, MergedInto: r.MergedInto, Mark: memory.Mark(r.ChangedAt), DueOn: r.DueOn,
	}
	if len(r.DerivedFrom) > 0 {
		row.DerivedFrom = r.DerivedFrom
	}
	return row
}

func decodeRows(result results, i int) ([]memory.Row, error) {
	memories, err := decodeMemories(result, i)
	if err != nil {
		return nil, err
	}
	var standings []standingRecord // the SDK cannot decode into an embedded struct
	if err := result.decode(i, &standings); err != nil {
		return nil, err
	}
	rows := make([]memory.Row, 0, len(memories))
	for j, m := range memories {
		rows = append(rows, standings[j].row(m))
	}
	return rows, nil
}

func (s *Store) selectRows(ctx context.Context, sql string, vars map[string]any) ([]memory.Row, error) {
	result, err := s.conn.execIdempotent(ctx, sql, vars)
	if err != nil {
		return nil, domain(err)
	}
	return decodeRows(result, 0)
}

func memoryIDs(ids []string) []models.RecordID {
	records := make([]models.RecordID, 0, len(ids))
	for _, id := range ids {
		records = append(records, recordID("memory", id))
	}
	return records
}

func names(records []models.RecordID) []string {
	all := make([]string, 0, len(records))
	for _, record := range records {
		all = append(all, record.String())
	}
	return all
}

// Rows implements storetest.Store.
func (s *Store) Rows(ctx context.Context, ids []string) ([]memory.Row, error) {
	rows, err := s.selectRows(ctx, "SELECT "+rowFields+evidenceFields+" FROM $ids WHERE id != NONE", map[string]any{"ids": memoryIDs(ids)})
	if err != nil {
		return nil, fmt.Errorf("read %d rows: %w", len(ids), err)
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
	result, err := s.conn.execIdempotent(ctx, mergedSQL, map[string]any{"ids": memoryIDs(slices.Compact(ids))})
	if err != nil {
		return fmt.Errorf("count the sessions of merged memories: %w", domain(err))
	}
	var found []struct {
		ID         string            `json:"id"`
		MergedInto string            `json:"merged_into"`
		Sessions   []models.RecordID `json:"sessions"`
		Projects   []string          `json:"projects"`
	}
	if err := result.decode(0, &found); err != nil {
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
