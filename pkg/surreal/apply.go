package surreal

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// batchRowsSQL reads the rows that a write is made of.
var batchRowsSQL = `
SELECT ` + projectCodec.fields() + ` FROM $projects WHERE id != NONE;
SELECT ` + sessionFields + ` FROM $sessions WHERE id != NONE;
LET $rows = SELECT ` + rowFields + ` FROM $memories WHERE id != NONE;
RETURN $rows;
SELECT ` + rowFields + ` FROM $rows.filter(|$row| $row.merged_into != '').map(|$row| type::record('memory', $row.merged_into)) WHERE id != NONE;
SELECT ` + distillationCodec.fields() + ` FROM $queued WHERE id != NONE;
SELECT ` + useCodec.fields() + ` FROM $uses WHERE id != NONE;`

// batchRows reads the rows with some keys.
func (s *Store) batchRows(ctx context.Context, k book.Keys) (book.BatchRows, error) {
	uses := make([]models.RecordID, len(k.Uses))
	for i, u := range k.Uses {
		uses[i] = recordID("used_in", u.Memory+"-"+u.Session)
	}
	const purpose = "read the rows that a batch is about"
	result, err := s.ask(ctx, purpose, batchRowsSQL, map[string]any{
		"projects": recordIDs("project", k.Projects), "sessions": recordIDs("session", k.Sessions), "memories": memoryIDs(k.Memories),
		"queued": recordIDs("distillation", k.Queued), "uses": uses,
	})
	if err != nil {
		return book.BatchRows{}, err
	}
	var rows book.BatchRows
	rows.Projects, err = keyed(projectCodec, result, 0, err, func(p memory.Project) string { return p.Key })
	rows.Sessions, err = keyed(sessionCodec, result, 1, err, func(s memory.Session) string { return s.ID })
	rows.Memories, err = keyed(rowCodec, result, 3, err, func(r memory.Row) string { return r.Memory.ID })
	survivors, err := keyed(rowCodec, result, 4, err, func(r memory.Row) string { return r.Memory.ID })
	rows.Queued, err = keyed(distillationCodec, result, 5, err, func(d memory.Distillation) string { return d.Session })
	used, err := keyed(useCodec, result, 6, err, func(u memory.Use) memory.Use { return memory.Use{Memory: u.Memory, Session: u.Session} })
	if err != nil {
		return book.BatchRows{}, fmt.Errorf("%s: %w", purpose, err)
	}
	for id, row := range survivors {
		rows.Memories[id] = row
	}
	rows.Uses = make(map[memory.Use]bool, len(used))
	for use := range used {
		rows.Uses[use] = true
	}
	return rows, nil
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
	IF array::is_empty((UPDATE $row.id MERGE $row.set WHERE seen_at = $row.was RETURN VALUE true)) { THROW '` + rowChanged + `' };
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
FOR $row IN $replaced { UPSERT $row.id CONTENT $row RETURN NONE };
COMMIT;`

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

// Apply makes a write: all of it, or nothing. memory.ErrConflict if a row is not as it was.
func (s *Store) Apply(ctx context.Context, w memory.Write) error {
	purpose := fmt.Sprintf("write %d rows", len(w.Rows))
	vars := applyVars(w)
	_, err := s.ask(ctx, purpose, applySQL, vars)
	if err != nil && strings.Contains(err.Error(), otherMemory) {
		if vars["sightings"], err = s.unknownSightings(ctx, vars["sightings"].([]map[string]any)); err == nil {
			_, err = s.ask(ctx, purpose, applySQL, vars)
		}
	}
	var failed *wire.StatementError
	if !errors.As(err, &failed) {
		return err
	}
	switch message := failed.Message; {
	case strings.Contains(message, runExists):
		return nil
	case strings.Contains(message, leaseLost):
		return fmt.Errorf("%s: %w", purpose, memory.ErrLeaseLost)
	case strings.Contains(message, rowChanged) || strings.Contains(message, rowExists):
		return fmt.Errorf("%s: %w", purpose, memory.ErrConflict)
	}
	return err
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
	case memory.Project:
		return "projects", projectCodec.row(row)
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
	case memory.Project:
		return "changed_projects", map[string]any{"id": recordID("project", before.Key), "was": at(before.SeenAt), "set": projectCodec.differences(before, c.After.(memory.Project))}
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
