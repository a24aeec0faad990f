package surreal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// projectRowFields are the columns of a project's row.
const projectRowFields = "record::id(id) AS id, name, root, seen_at, given_name ?? '' AS given_name, merged_into ?? '' AS merged_into"

// readSQL reads rows by their keys.
var readSQL = `
SELECT ` + projectRowFields + ` FROM $projects WHERE id != NONE;
SELECT ` + sessionFields + ` FROM $sessions WHERE id != NONE;
LET $rows = SELECT ` + rowFields + ` FROM $memories WHERE id != NONE;
RETURN $rows;
SELECT ` + rowFields + ` FROM $rows.filter(|$row| $row.merged_into != '').map(|$row| type::record('memory', $row.merged_into)) WHERE id != NONE;
SELECT ` + distillationCodec.fields() + ` FROM $queued WHERE id != NONE;
SELECT ` + useCodec.fields() + ` FROM $uses WHERE id != NONE;`

// readStepSQL reads, behind these, the records of runs.
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
		vars["runs"], vars["actions"], vars["removed"] = recordIDs("maintenance_run", k.Runs), recordIDs("maintenance_action", k.Actions), memoryIDs(k.Removed)
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

// set decodes the ids of a statement's result, unless there was an error before.
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

// keyed decodes the rows of a statement's result by their keys, unless there was an error before.
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

// applySQL makes a write if its rows are as they were. A table's changes stand before its new rows:
// otherwise each would have to find its row among the transaction's own writes, which takes the longer
// the more there are. Small tables stand before large ones: a row that is there already has the engine
// undo all that the transaction has written and do it again.
const applySQL = `
BEGIN;
IF $lease != NONE AND array::is_empty(SELECT VALUE id FROM $lease.id
	WHERE holder = $lease.holder AND token = $lease.token AND expires_at > time::now()) { THROW '` + leaseLost + `' };
IF !array::is_empty(SELECT VALUE id FROM $runs.id WHERE id != NONE) { THROW '` + runExists + `' };
FOR $row IN $changed_projects {
	IF array::is_empty((UPDATE $row.id MERGE $row.set WHERE seen_at = $row.was AND (given_name ?? '') = $row.given_name
		AND (merged_into ?? '') = $row.merged_into RETURN VALUE true)) { THROW '` + rowChanged + `' };
};
INSERT INTO project $projects RETURN NONE;
INSERT IGNORE INTO active_day $days RETURN NONE;
INSERT IGNORE INTO file $files RETURN NONE;
INSERT IGNORE INTO prompt $prompts RETURN NONE;
INSERT IGNORE INTO session_event $session_events RETURN NONE;
FOR $row IN $changed_sessions {
	IF array::is_empty((UPDATE $row.id MERGE $row.set WHERE state = $row.state AND state_at = $row.state_at AND source_at = $row.source_at
		AND started_at = $row.started_at AND last_event_at = $row.last_event_at RETURN VALUE true)) { THROW '` + rowChanged + `' };
	IF $row.set.digest != NONE { UPDATE $row.id SET digest = $row.set.digest RETURN NONE }; -- MERGE keeps fields of the one before
};
INSERT INTO session $sessions RETURN NONE;
FOR $row IN $checked {
	IF (SELECT VALUE changed_at FROM ONLY $row.id) != $row.was { THROW '` + rowChanged + `' };
};
FOR $row IN $removed {
	IF array::is_empty((DELETE $row.id WHERE changed_at = $row.was RETURN BEFORE)) { THROW '` + rowChanged + `' };
};
DELETE $cut.id RETURN NONE;
FOR $row IN $changed_memories {
	IF array::is_empty((UPDATE $row.id MERGE object::extend($row.set, { due_on: 0, changed_at: time::nano() })
		WHERE changed_at = $row.was RETURN VALUE true)) { THROW '` + rowChanged + `' };
	IF $row.set.fingerprints != NONE { UPDATE $row.id SET fingerprints = $row.set.fingerprints RETURN NONE };
};
INSERT INTO memory $memories RETURN NONE;
INSERT RELATION IGNORE INTO seen_in $sightings RETURN NONE;
INSERT RELATION IGNORE INTO injected_in $injections RETURN NONE;
INSERT RELATION IGNORE INTO derived_from $derived RETURN NONE;
INSERT RELATION IGNORE INTO supersedes $supersedes RETURN NONE;
IF !array::is_empty(SELECT VALUE id FROM $uses.id WHERE id != NONE) { THROW '` + rowChanged + `' }; -- INSERT RELATION replaces it
INSERT RELATION INTO used_in $uses RETURN NONE;
INSERT INTO maintenance_run $runs RETURN NONE;
FOR $row IN $steps { UPDATE $row.id MERGE $row RETURN NONE };
INSERT INTO maintenance_action $actions RETURN NONE;
IF $job != NONE {
	LET $stood = (SELECT cursor, slot FROM ONLY $job.id);
	UPSERT $job.id SET cursor = math::max([$stood.cursor ?? 0, math::min([$job.cursor, time::nano() - $overlap])]),
		slot = time::max([$stood.slot ?? d'1970-01-01T00:00:00Z', $job.slot]) RETURN NONE
};
FOR $row IN $due { UPDATE $row.id SET due_on = $row.due_on RETURN NONE };
FOR $row IN $replaced { UPSERT $row.id CONTENT $row RETURN NONE };`

// moveSQL gives all that is stored under the key of a merged project to the other one. It leaves all ids as they
// are: a memory's is made of an event captured under the old key, and the same event captured again gets it again.
const moveSQL = `
UPDATE memory SET project = $into%[1]d, home = IF home = $from%[1]d THEN $into%[1]d ELSE home END, used_on = -1, due_on = 0,
	fingerprints = NONE, changed_at = time::nano() -- the files are those of another folder
	WHERE project = $from%[1]d RETURN NONE;
INSERT IGNORE INTO active_day (SELECT type::record('active_day', $into%[1]d + '/' + day) AS id, $into%[1]d AS project, day
	FROM active_day WHERE project = $from%[1]d) RETURN NONE;
DELETE active_day WHERE project = $from%[1]d RETURN NONE;
UPDATE session SET project = $into%[1]d WHERE project = $from%[1]d RETURN NONE;
UPDATE prompt SET project = $into%[1]d WHERE project = $from%[1]d RETURN NONE;
UPDATE file SET project = $into%[1]d WHERE project = $from%[1]d RETURN NONE;`

// rowChanged is the error of applySQL about a row that is not as it was, rowExists the
// engine's about a new one, and runExists that about a run that is there.
const (
	runExists  = "this was written before"
	leaseLost  = "the maintenance lease was lost"
	rowChanged = "a row has changed meanwhile"
	rowExists  = "already exists"
	// overlap is how far a job looks back behind the last change it has seen: a transaction that began
	// before it may have ended after it.
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
	vars := applyVars(w)
	sql, limit := applySQL, time.Duration(0)
	for i, p := range mergedProjects(w) {
		sql, limit = sql+fmt.Sprintf(moveSQL, i), administrationTime
		vars[fmt.Sprint("from", i)], vars[fmt.Sprint("into", i)] = p.Key, p.MergedInto
	}
	sql += "\nCOMMIT;"
	_, err := s.askFor(ctx, limit, purpose, sql, vars)
	if err != nil && strings.Contains(err.Error(), otherMemory) {
		if vars["sightings"], err = s.unknownSightings(ctx, vars["sightings"].([]map[string]any)); err == nil {
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

// mergedProjects are the projects of a write that are part of another.
func mergedProjects(w memory.Write) (merged []memory.ProjectRow) {
	for _, c := range w.Rows {
		if p, isProject := c.After.(memory.ProjectRow); isProject && p.MergedInto != "" {
			merged = append(merged, p)
		}
	}
	return merged
}

// applyVars are the variables of applySQL.
func applyVars(w memory.Write) map[string]any {
	vars := map[string][]map[string]any{}
	for _, name := range []string{
		"changed_projects", "changed_sessions", "changed_memories", "projects", "days", "files", "prompts", "session_events", "sessions",
		"memories", "sightings", "injections", "derived", "supersedes", "uses", "replaced",
		"runs", "steps", "actions", "checked", "removed", "cut", "due",
	} {
		vars[name] = []map[string]any{}
	}
	for _, c := range w.Rows {
		if run, isRun := c.After.(memory.Run); isRun {
			name := "runs"
			if c.Before != nil {
				name = "steps"
			}
			vars[name] = append(vars[name], runCodec.row(run))
			vars["actions"] = append(vars["actions"], rows(run.Actions, func(a memory.Action) map[string]any { return actionRow(run.ID, a) })...)
			continue
		}
		name, row := variable(c)
		vars[name] = append(vars[name], row)
	}
	for id, reading := range w.Due {
		vars["due"] = append(vars["due"], map[string]any{"id": recordID("memory", id), "due_on": reading})
	}
	all := map[string]any{"lease": models.None, "job": models.None, "overlap": overlap.Nanoseconds()}
	if l := w.Lease; l != nil {
		all["lease"] = map[string]any{"id": recordID("lease", l.Name), "holder": l.Holder, "token": l.Token}
	}
	if j := w.Job; j != nil {
		all["job"] = map[string]any{"id": recordID("maintenance_job", j.Job), "cursor": int64(j.Cursor), "slot": at(j.Slot)}
	}
	for name, rows := range vars {
		all[name] = rows
	}
	return all
}

// variable is the variable of applySQL that the change of a row belongs to, with its value.
func variable(c memory.RowChange) (name string, row map[string]any) {
	switch before := c.Before.(type) {
	case nil:
		return added(c.After)
	case memory.Supersession:
		return "cut", map[string]any{"id": recordID("supersedes", before.Memory+"-"+before.Old)}
	case memory.Distillation:
		return added(c.After)
	case memory.Row:
		if c.After == nil {
			return "removed", map[string]any{"id": recordID("memory", before.Memory.ID), "was": int64(before.Cursor)}
		}
	}
	return changed(c)
}

// added is a new row, and the variable of applySQL that it belongs to.
func added(row any) (name string, columns map[string]any) {
	switch row := row.(type) {
	case memory.ProjectRow:
		return "projects", projectRowCodec.row(row)
	case memory.ActiveDay:
		return "days", dayRow(row)
	case memory.File:
		return "files", fileRow(row)
	case memory.Prompt:
		return "prompts", promptCodec.row(row)
	case memory.SessionEvent:
		return "session_events", sessionEventCodec.row(row)
	case memory.Session:
		return "sessions", sessionCodec.row(row)
	case memory.Row:
		return "memories", newRow(row)
	case memory.Sighting:
		return "sightings", sightingCodec.row(row)
	case memory.Injection:
		return "injections", injectionCodec.row(row)
	case memory.Derivation:
		return "derived", edgeRow("derived_from", row.Memory, row.From, row.At)
	case memory.Supersession:
		return "supersedes", edgeRow("supersedes", row.Memory, row.Old, row.At)
	case memory.Use:
		return "uses", useRow(row)
	case memory.Distillation:
		return "replaced", distillationCodec.row(row)
	case memory.Spend:
		return "replaced", spendRow(row)
	}
	panic(fmt.Sprintf("a row of the type %T has no table", row))
}

// newRow is a new row of a memory; a column that has its default is left out.
func newRow(row memory.Row) map[string]any {
	columns := memoryCodec.row(row.Memory)
	for name, value := range rowCodec.differences(memory.Row{Memory: row.Memory, UsedOn: -1}, row) {
		columns[name] = value
	}
	return columns
}

// changed is a changed row with the values that it had, and the variable of applySQL that it
// belongs to.
func changed(c memory.RowChange) (name string, row map[string]any) {
	switch before := c.Before.(type) {
	case memory.ProjectRow:
		return "changed_projects", map[string]any{
			"id": recordID("project", before.Key), "was": at(before.SeenAt), "given_name": before.GivenName, "merged_into": before.MergedInto,
			"set": projectRowCodec.differences(before, c.After.(memory.ProjectRow)),
		}
	case memory.Session:
		return "changed_sessions", map[string]any{
			"id": recordID("session", before.ID), "state": string(before.State), "state_at": at(before.StateAt), "source_at": at(before.SourceAt),
			"started_at": at(before.StartedAt), "last_event_at": at(before.LastEventAt), "set": sessionCodec.differences(before, c.After.(memory.Session)),
		}
	case memory.Row:
		row := map[string]any{"id": recordID("memory", before.Memory.ID), "was": int64(before.Cursor)}
		if reflect.DeepEqual(c.Before, c.After) {
			return "checked", row
		}
		row["set"] = rowCodec.differences(before, c.After.(memory.Row))
		return "changed_memories", row
	}
	panic(fmt.Sprintf("a row of the type %T cannot change", c.Before))
}

// differences are the columns in which a row differs from another one, with its values.
func (c codec[T]) differences(from, to T) map[string]any {
	before, after := reflect.ValueOf(from), reflect.ValueOf(to)
	set := map[string]any{}
	var row map[string]any
	for _, column := range c.columns {
		a, b := before.FieldByIndex(column.field), after.FieldByIndex(column.field)
		if column.option == "read" || same(a, b) {
			continue
		}
		if row == nil {
			row = c.row(to)
		}
		value, isThere := row[column.name]
		if !isThere {
			value = models.None
		}
		set[column.name] = value
	}
	return set
}

// same reports whether two fields are stored as the same value.
func same(a, b reflect.Value) bool {
	if t, isTime := a.Interface().(time.Time); isTime {
		return t.Equal(b.Interface().(time.Time))
	}
	if k := a.Kind(); (k == reflect.Slice || k == reflect.Map) && a.Len() == 0 && b.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}
