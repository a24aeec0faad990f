package surreal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// reads is a query for rows by their keys: a statement for each table, and the function that takes its result.
type reads struct {
	sql  strings.Builder
	vars map[string]any
	take []func(wire.Results, int) error
}

// readRows adds a statement that reads rows by their ids, if there are any, and returns the map that its result will fill.
func readRows[K comparable, T any](r *reads, c codec[T], ids []models.RecordID, key func(T) K) map[K]T {
	found := make(map[K]T, len(ids))
	if len(ids) == 0 {
		return found
	}
	r.vars[c.table+"_ids"] = ids
	r.sql.WriteString("SELECT " + c.all + " FROM $" + c.table + "_ids WHERE id != NONE;\n")
	r.take = append(r.take, taker(c, found, key))
	return found
}

// taker returns a function that adds the rows of a result to found.
func taker[K comparable, T any](c codec[T], found map[K]T, key func(T) K) func(wire.Results, int) error {
	return func(result wire.Results, i int) error {
		rows, err := c.decode(result, i)
		for _, row := range rows {
			found[key(row)] = row
		}
		return err
	}
}

func (s *Store) Read(ctx context.Context, k memory.Keys) (memory.Rows, error) {
	const purpose = "read the rows that a write depends on"
	r := &reads{vars: map[string]any{}}
	used := memory.Each(k.Uses, func(u memory.Use) models.RecordID { return recordID("used_in", u.Memory+"-"+u.Session) })
	rows := memory.Rows{
		Projects: readRows(r, projectRowCodec, recordIDs("project", k.Projects), func(p memory.ProjectRow) string { return p.Key }),
		Sessions: readRows(r, sessionCodec, recordIDs("session", k.Sessions), func(s memory.Session) string { return s.ID }),
		Memories: readRows(r, rowCodec, memoryIDs(k.Memories), func(r memory.Row) string { return r.Memory.ID }),
		Queued:   readRows(r, distillationCodec, recordIDs("distillation", k.Queued), func(d memory.Distillation) string { return d.Session }),
		Runs:     readRows(r, runCodec, recordIDs("maintenance_run", k.Runs), func(r memory.Run) string { return r.ID }),
		Jobs:     readRows(r, jobCodec, recordIDs("maintenance_job", k.Jobs), func(j memory.JobState) string { return j.Job }),
		Uses:     map[memory.Use]bool{}, Actions: map[string]bool{},
	}
	uses := readRows(r, useCodec, used, memory.Use.Key)
	actions := readRows(r, actionCodec, recordIDs("maintenance_action", k.Actions), func(a onlyID) string { return a.ID })
	if len(k.Replaced) > 0 {
		r.vars["replaced"] = k.Replaced
		r.sql.WriteString("SELECT " + rowCodec.all + " FROM memory WHERE superseded_by IN $replaced OR merged_into IN $replaced;\n")
		r.take = append(r.take, taker(rowCodec, rows.Memories, func(r memory.Row) string { return r.Memory.ID }))
	}
	if len(r.take) == 0 {
		return rows, nil
	}
	result, err := s.ask(ctx, purpose, r.sql.String(), r.vars)
	for i := 0; i < len(r.take) && err == nil; i++ {
		if err = r.take[i](result, i); err != nil {
			err = fmt.Errorf("%s: %w", purpose, err)
		}
	}
	if err == nil {
		err = s.readTargets(ctx, rows.Memories)
	}
	for use := range uses {
		rows.Uses[use] = true
	}
	for id := range actions {
		rows.Actions[id] = true
	}
	return rows, err
}

// readTargets adds the memories that others were merged into.
func (s *Store) readTargets(ctx context.Context, rows map[string]memory.Row) error {
	var missing []string
	for _, row := range rows {
		if _, isThere := rows[row.MergedInto]; row.MergedInto != "" && !isThere {
			missing = append(missing, row.MergedInto)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	targets, err := list(ctx, s, rowCodec, "read the targets of merged memories", "SELECT "+rowCodec.all+" FROM $ids WHERE id != NONE",
		map[string]any{"ids": memoryIDs(missing)})
	for _, target := range targets {
		rows[target.Memory.ID] = target
	}
	return err
}

// The statements of a write before and after the statements of the tables.
const (
	beginSQL = "BEGIN;"
	leaseSQL = `
IF array::is_empty(SELECT VALUE id FROM $lease.id
	WHERE holder = $lease.holder AND token = $lease.token AND expires_at > time::now()) { THROW '` + leaseLost + `' };`
	newRunsSQL = `
IF !array::is_empty(SELECT VALUE id FROM $maintenance_run_added.id WHERE id != NONE) { THROW '` + runExists + `' };`
	newActionsSQL = `
INSERT INTO maintenance_action $actions RETURN NONE;`
	jobSQL = `
LET $stood = (SELECT cursor, slot FROM ONLY $job.id);
UPSERT $job.id SET cursor = math::max([$stood.cursor ?? 0, math::min([$job.cursor, time::nano() - $overlap])]),
	slot = time::max([$stood.slot ?? d'1970-01-01T00:00:00Z', $job.slot]) RETURN NONE;`
)

// moveSQL moves the rows of a merged project to the other project. IDs stay the same: an event that was captured for
// the old project and is captured again must produce the same memory.
var moveSQL = `
UPDATE memory SET project = $into%[1]d, changed_at = time::nano() WHERE project = $from%[1]d RETURN NONE;
INSERT IGNORE INTO active_day (SELECT type::record('active_day', $into%[1]d + '/' + day) AS id, $into%[1]d AS project, day
	FROM active_day WHERE project = $from%[1]d) RETURN NONE;
DELETE active_day WHERE project = $from%[1]d RETURN NONE;` + movedRowsSQL()

// movedRowsSQL returns the statements for the tables in which only the project column has to change.
func movedRowsSQL() (sql string) {
	for _, t := range tableWriters {
		if owner, project := t.owner(); owner == "project" && project == "project" && t.Table != "memory" && t.Table != "active_day" {
			sql += "\nUPDATE " + t.Table + " SET project = $into%[1]d WHERE project = $from%[1]d RETURN NONE;"
		}
	}
	return sql
}

// runExists, leaseLost and rowChanged are the errors of our statements: the run was written before, the lease is lost,
// a row has changed since it was read. rowExists is the engine's error about an existing row.
const (
	runExists  = "this was written before"
	leaseLost  = "the maintenance lease was lost"
	rowChanged = "a row has changed meanwhile"
	rowExists  = "already exists"
	// overlap is how far a job looks back before the last change that it has seen: a change with an earlier cursor may be committed later.
	overlap = 5 * time.Second
)

func (s *Store) Apply(ctx context.Context, w memory.Write) error {
	s.applying.Lock()
	defer s.applying.Unlock()
	if keys := w.DeletedProjects(); len(keys) > 0 {
		return s.purge(ctx, keys)
	}
	purpose := fmt.Sprintf("write %d rows", len(w.Rows))
	sql, vars := applySQL(w)
	limit := time.Duration(0)
	for i, p := range mergedProjects(w) {
		sql, limit = sql+fmt.Sprintf(moveSQL, i), administrationTime
		vars[fmt.Sprint("from", i)], vars[fmt.Sprint("into", i)] = p.Key, p.MergedInto
	}
	sql += "\nCOMMIT;"
	_, err := s.askFor(ctx, limit, purpose, sql, vars)
	var failed *wire.StatementError
	if !errors.As(err, &failed) {
		return err
	}
	switch message := failed.Message; {
	case strings.Contains(message, runExists):
		return fmt.Errorf("%s: %w", purpose, memory.ErrWritten)
	case strings.Contains(message, leaseLost):
		return fmt.Errorf("%s: %w", purpose, memory.ErrLeaseLost)
	case strings.Contains(message, rowChanged) || strings.Contains(message, rowExists):
		return fmt.Errorf("%s: %w", purpose, memory.ErrConflict)
	}
	return err
}

// mergedProjects returns the projects of a write that were merged into another.
func mergedProjects(w memory.Write) (merged []memory.ProjectRow) {
	for _, c := range w.Rows {
		if p, isProject := c.After.(memory.ProjectRow); isProject && p.MergedInto != "" {
			merged = append(merged, p)
		}
	}
	return merged
}

// applySQL returns the statements and variables of a write. They fail if a row has changed since it was read.
func applySQL(w memory.Write) (string, map[string]any) {
	rows := map[string][]map[string]any{}
	for _, c := range w.Rows {
		variable, value := writerOf(c.Row()).value(c)
		rows[variable] = append(rows[variable], value)
		if run, isRun := c.After.(memory.Run); isRun {
			for _, a := range run.Actions {
				rows["actions"] = append(rows["actions"], actionRow(run.ID, a))
			}
		}
	}
	vars := map[string]any{}
	for variable, values := range rows {
		vars[variable] = values
	}
	statements := []statement{{"lease", leaseSQL}, {"maintenance_run_added", newRunsSQL}}
	if l := w.Lease; l != nil {
		vars["lease"] = map[string]any{"id": recordID("lease", l.Name), "holder": l.Holder, "token": l.Token}
	}
	for _, t := range tableWriters {
		statements = append(statements, t.statements...)
	}
	statements = append(statements, statement{"actions", newActionsSQL}, statement{"job", jobSQL})
	if j := w.Job; j != nil {
		vars["job"], vars["overlap"] = map[string]any{
			"id":     recordID("maintenance_job", j.Job),
			"cursor": int64(j.Cursor), "slot": at(j.Slot),
		}, overlap.Nanoseconds()
	}
	var sql strings.Builder
	sql.WriteString(beginSQL)
	for _, s := range statements {
		if vars[s.variable] != nil {
			sql.WriteString(s.sql)
		}
	}
	return sql.String(), vars
}
