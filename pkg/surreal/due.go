package surreal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// firstDueSQL reads the first row that is due in a project by one of the two statuses, or
// nothing. Each is a statement of its own: within a closure the engine (3.0.2) reads all
// that is due before it applies the limit, and an index serves no list of projects.
const firstDueSQL = "SELECT project, status, due_on FROM memory WHERE project = $project%[1]d AND status = '%[2]s' AND due_on <= $reading%[1]d" +
	" ORDER BY project, status, due_on LIMIT 1;"

// dueAtOnce is how many projects one request asks about.
const dueAtOnce = 50

// DueProjects implements storetest.Store.
func (s *Store) DueProjects(ctx context.Context, readings map[string]float64) ([]string, error) {
	var due []string
	for some := range slices.Chunk(slices.Sorted(maps.Keys(readings)), dueAtOnce) {
		found, err := s.dueOf(ctx, some, readings)
		if err != nil {
			return nil, fmt.Errorf("read in which of %d projects something is due: %w", len(readings), err)
		}
		due = append(due, found...)
	}
	return due, nil
}

// dueOf are those of the projects in which something is due.
func (s *Store) dueOf(ctx context.Context, projects []string, readings map[string]float64) ([]string, error) {
	sql, vars := "", map[string]any{}
	for i, project := range projects {
		sql += fmt.Sprintf(firstDueSQL, i, memory.StatusActive) + fmt.Sprintf(firstDueSQL, i, memory.StatusArchived)
		vars[fmt.Sprint("project", i)], vars[fmt.Sprint("reading", i)] = project, readings[project]
	}
	result, err := s.conn.ExecIdempotent(ctx, sql, vars)
	if err != nil {
		return nil, domain(err)
	}
	var due []string
	for i := range result {
		var first []struct {
			Project string `json:"project"`
		}
		if err := result.Decode(i, &first); err != nil {
			return nil, err
		}
		if len(first) > 0 {
			due = append(due, first[0].Project)
		}
	}
	return slices.Compact(due), nil // of each project, the active and then the archived
}

var dueSQL = `
SELECT ` + rowFields + ` FROM memory WHERE project = $project AND status = 'active' AND due_on <= $reading
	ORDER BY project, status, due_on LIMIT $limit;
SELECT ` + rowFields + ` FROM memory WHERE project = $project AND status = 'archived' AND due_on <= $reading
	ORDER BY project, status, due_on LIMIT $limit;`

// Due implements storetest.Store. Active and archived rows each get half of the limit and
// the rest of the other half, so that neither starves. Sessions are not counted.
func (s *Store) Due(ctx context.Context, project string, reading float64, limit int) ([]memory.Row, error) {
	result, err := s.conn.ExecIdempotent(ctx, dueSQL, map[string]any{
		"project": project, "reading": reading, "limit": limit,
	})
	if err != nil {
		return nil, fmt.Errorf("read the due memories of %q: %w", project, domain(err))
	}
	active, errActive := rowCodec.decode(result, 0)
	archived, errArchived := rowCodec.decode(result, 1)
	if err := errors.Join(errActive, errArchived); err != nil {
		return nil, fmt.Errorf("read the due memories of %q: %w", project, err)
	}
	few := max(limit-len(archived), (limit+1)/2)
	rows := append(active[:min(few, len(active))], archived...)
	return rows[:min(limit, len(rows))], nil
}

const rescheduleSQL = `FOR $row IN $rows { UPDATE $row.id SET due_on = $row.due_on RETURN NONE };`

// Reschedule implements storetest.Store.
func (s *Store) Reschedule(ctx context.Context, due map[string]float64) error {
	rows := make([]map[string]any, 0, len(due))
	for id, reading := range due {
		rows = append(rows, map[string]any{"id": recordID("memory", id), "due_on": reading})
	}
	if len(rows) == 0 {
		return nil
	}
	if _, err := s.conn.ExecIdempotent(ctx, rescheduleSQL, map[string]any{"rows": rows}); err != nil {
		return fmt.Errorf("reschedule %d memories: %w", len(rows), domain(err))
	}
	return nil
}
