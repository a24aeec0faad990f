package surreal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// projectRowFields are the columns of a project's row.
const projectRowFields = "record::id(id) AS id, name, root, seen_at, merged_into ?? '' AS merged_into"

// readSQL reads rows by their keys.
var readSQL = `
SELECT ` + projectRowFields + ` FROM $projects WHERE id != NONE;
SELECT ` + sessionFields + ` FROM $sessions WHERE id != NONE;
LET $rows = SELECT ` + rowFields + ` FROM $memories WHERE id != NONE;
RETURN $rows;
SELECT ` + rowFields + ` FROM $rows.filter(|$row| $row.merged_into != '').map(|$row| type::record('memory', $row.merged_into)) WHERE id != NONE;
SELECT ` + distillationCodec.fields() + ` FROM $queued WHERE id != NONE;
SELECT ` + useCodec.fields() + ` FROM $uses WHERE id != NONE;`

// readStepSQL also reads the records of runs.
var readStepSQL = readSQL + `
SELECT ` + runFields + ` FROM $runs WHERE id != NONE;
SELECT VALUE record::id(id) FROM $actions WHERE id != NONE;
RETURN $removed.filter(|$of| !array::is_empty(SELECT VALUE id FROM maintenance_action WHERE memory = $of AND kind = 'remove')).map(|$of| record::id($of));`

// Read implements storetest.Store.
func (s *Store) Read(ctx context.Context, k memory.Keys) (memory.Rows, error) {
	uses := make([]models.RecordID, len(k.Uses))
	for i, u := range k.Uses {
		uses[i] = recordID("used_in", u.Memory+"-"+u.Session)
	}
	const purpose = "read the rows that a write depends on"
	sql, ofStep := readSQL, len(k.Runs) > 0
	vars := map[string]any{
		"projects": recordIDs("project", k.Projects), "sessions": recordIDs("session", k.Sessions), "memories": memoryIDs(k.Memories),
		"queued": recordIDs("distillation", k.Queued), "uses": uses,
	}
	if ofStep {
		sql = readStepSQL
		vars["runs"], vars["actions"], vars["removed"] = recordIDs("maintenance_run", k.Runs),
			recordIDs("maintenance_action", k.Actions), memoryIDs(k.Removed)
	}
	result, err := s.ask(ctx, purpose, sql, vars)
	if err != nil {
		return memory.Rows{}, err
	}
	rows, err := decodeRows(result, ofStep)
	if err != nil {
		return memory.Rows{}, fmt.Errorf("%s: %w", purpose, err)
	}
	return rows, nil
}

func decodeRows(result wire.Results, ofStep bool) (rows memory.Rows, err error) {
	memoryID := func(r memory.Row) string { return r.Memory.ID }
	rows.Projects, err = keyed(projectRowCodec, result, 0, err, func(p memory.ProjectRow) string { return p.Key })
	rows.Sessions, err = keyed(sessionCodec, result, 1, err, func(s memory.Session) string { return s.ID })
	rows.Memories, err = keyed(rowCodec, result, 3, err, memoryID)
	survivors, err := keyed(rowCodec, result, 4, err, memoryID)
	rows.Queued, err = keyed(distillationCodec, result, 5, err, func(d memory.Distillation) string { return d.Session })
	used, err := keyed(useCodec, result, 6, err, memory.Use.Key)
	if ofStep {
		rows.Runs, err = keyed(runCodec, result, 7, err, func(r memory.Run) string { return r.ID })
		rows.Actions, err = set(result, 8, err)
		rows.Removed, err = set(result, 9, err)
	}
	if err != nil {
		return rows, err
	}
	maps.Copy(rows.Memories, survivors)
	rows.Uses = make(map[memory.Use]bool, len(used))
	for use := range used {
		rows.Uses[use] = true
	}
	return rows, nil
}

// set decodes the ids in a statement's result, unless there was an error before.
func set(result wire.Results, i int, before error) (map[string]bool, error) {
	if before != nil {
		return nil, before
	}
	var ids []string
	err := result.Decode(i, &ids)
	all := make(map[string]bool, len(ids))
	for _, id := range ids {
		all[id] = true
	}
	return all, err
}

// keyed decodes the rows in a statement's result by key, unless there was an error before.
func keyed[K comparable, T any](c codec[T], result wire.Results, i int, before error, key func(T) K) (map[K]T, error) {
	if before != nil {
		return nil, before
	}
	rows, err := c.decode(result, i)
	byKey := make(map[K]T, len(rows))
	for _, row := range rows {
		byKey[key(row)] = row
	}
	return byKey, err
}

// The statements around those of the tables.
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
	dueOnSQL = `
FOR $row IN $due { UPDATE $row.id SET due_on = $row.due_on RETURN NONE };`
)

// moveSQL moves everything under the key of a merged project to the other one. Ids stay the same: an event that was
// captured under the old key and is captured again must produce the same memory.
var moveSQL = `
UPDATE memory SET project = $into%[1]d, home = IF home = $from%[1]d THEN $into%[1]d ELSE home END, used_on = -1, due_on = 0,
	changed_at = time::nano()
	WHERE project = $from%[1]d RETURN NONE;
INSERT IGNORE INTO active_day (SELECT type::record('active_day', $into%[1]d + '/' + day) AS id, $into%[1]d AS project, day
	FROM active_day WHERE project = $from%[1]d) RETURN NONE;
DELETE active_day WHERE project = $from%[1]d RETURN NONE;` + movedRowsSQL()

// movedRowsSQL moves the rows that name their project and need nothing else.
func movedRowsSQL() (sql string) {
	for _, t := range tableWriters {
		if owner, project := t.owner(); owner == "project" && project == "project" && t.Table != "memory" && t.Table != "active_day" {
			sql += "\nUPDATE " + t.Table + " SET project = $into%[1]d WHERE project = $from%[1]d RETURN NONE;"
		}
	}
	return sql
}

// rowChanged is the error of a statement about a row that has changed since it was read, rowExists the engine's
// error about an existing row, and runExists its error about an existing run.
const (
	runExists  = "this was written before"
	leaseLost  = "the maintenance lease was lost"
	rowChanged = "a row has changed meanwhile"
	rowExists  = "already exists"
	// overlap is how far a job looks back behind the last change that it has processed: an earlier transaction
	// may have ended later.
	overlap = 5 * time.Second
)

// Apply implements storetest.Store.
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
	if err != nil && strings.Contains(err.Error(), otherMemory) {
		const sightings = "seen_in" + added
		known, _ := vars[sightings].([]map[string]any)
		if vars[sightings], err = s.unknownSightings(ctx, known); err == nil {
			_, err = s.askFor(ctx, limit, purpose, sql, vars)
		}
	}
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

// mergedProjects returns the projects of a write that are part of another.
func mergedProjects(w memory.Write) (merged []memory.ProjectRow) {
	for _, c := range w.Rows {
		if p, isProject := c.After.(memory.ProjectRow); isProject && p.MergedInto != "" {
			merged = append(merged, p)
		}
	}
	return merged
}

// applySQL returns the statements and variables that apply a write if its rows are unchanged.
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
	for id, reading := range w.Due {
		rows["due"] = append(rows["due"], map[string]any{"id": recordID("memory", id), "due_on": reading})
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
	statements = append(statements, statement{"actions", newActionsSQL}, statement{"job", jobSQL}, statement{"due", dueOnSQL})
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
