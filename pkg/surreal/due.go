package surreal

import (
	"context"
	"errors"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// An index serves a condition on a variable, and not on a field of one.
const dueProjectsSQL = `
RETURN $clocks.filter(|$clock| {
	LET $project = $clock.project;
	LET $reading = $clock.reading;
	!array::is_empty(SELECT project, status, due_on FROM memory WHERE project = $project AND status = 'active' AND due_on <= $reading
		ORDER BY project, status, due_on LIMIT 1)
	OR !array::is_empty(SELECT project, status, due_on FROM memory WHERE project = $project AND status = 'archived' AND due_on <= $reading
		ORDER BY project, status, due_on LIMIT 1)
}).map(|$clock| $clock.project)`

// DueProjects implements storetest.Store.
func (s *Store) DueProjects(ctx context.Context, readings map[string]float64) ([]string, error) {
	clocks := make([]map[string]any, 0, len(readings))
	for project, reading := range readings {
		clocks = append(clocks, map[string]any{"project": project, "reading": reading})
	}
	result, err := s.conn.execIdempotent(ctx, dueProjectsSQL, map[string]any{"clocks": clocks})
	if err != nil {
		return nil, fmt.Errorf("read in which of %d projects something is due: %w", len(readings), domain(err))
	}
	var due []string
	if err := result.decode(0, &due); err != nil {
		return nil, fmt.Errorf("read in which of %d projects something is due: %w", len(readings), err)
	}
	return due, nil
}

var dueSQL = `
SELECT ` + rowFields + ` FROM memory WHERE project = $project AND status = 'active' AND due_on <= $reading
	ORDER BY project, status, due_on LIMIT $limit;
SELECT ` + rowFields + ` FROM memory WHERE project = $project AND status = 'archived' AND due_on <= $reading
	ORDER BY project, status, due_on LIMIT $limit;`

// Due implements storetest.Store. Active and archived rows each get half of the limit
// and what the other leaves, so that neither starves. Sessions are not counted.
func (s *Store) Due(ctx context.Context, project string, reading float64, limit int) ([]memory.Row, error) {
	result, err := s.conn.execIdempotent(ctx, dueSQL, map[string]any{
		"project": project, "reading": reading, "limit": limit,
	})
	if err != nil {
		return nil, fmt.Errorf("read what is due in %q: %w", project, domain(err))
	}
	active, errActive := rowCodec.decode(result, 0)
	archived, errArchived := rowCodec.decode(result, 1)
	if err := errors.Join(errActive, errArchived); err != nil {
		return nil, fmt.Errorf("read what is due in %q: %w", project, err)
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
	if _, err := s.conn.execIdempotent(ctx, rescheduleSQL, map[string]any{"rows": rows}); err != nil {
		return fmt.Errorf("reschedule %d memories: %w", len(rows), domain(err))
	}
	return nil
}
