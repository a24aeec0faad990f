package surreal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// commitSQL makes each action whose row is unchanged since it was planned, and records
// those that it made. A recorded action is not made again. If a row of a group has
// changed, no action of the group is made. An index serves a condition on a variable,
// as $of, and not on a field of one.
const commitSQL = `
BEGIN;
IF $lease != NONE AND array::is_empty(SELECT VALUE id FROM $lease.id
	WHERE holder = $lease.holder AND token = $lease.token AND expires_at > time::now()) { THROW '` + leaseLost + `' };
IF $run != NONE {
	INSERT IGNORE INTO maintenance_run [$run] RETURN NONE;
	UPDATE $run.id MERGE $run RETURN NONE;
};
LET $broken = $grouped.filter(|$a| !record::exists($a.record) AND $a.memory.changed_at != $a.cursor).map(|$a| $a.group);
FOR $a IN $actions {
	LET $of = $a.memory;
	LET $made = IF record::exists($a.record.id) OR ($a.group != NONE AND $a.group IN $broken) {
		[]
	} ELSE IF $a.create != NONE {
		IF record::exists($a.memory) OR (!$keep AND !array::is_empty(SELECT VALUE id FROM maintenance_action
			WHERE memory = $of AND kind = 'remove')) { [] } ELSE { INSERT INTO memory $a.create RETURN VALUE true }
	} ELSE IF $a.remove {
		(DELETE $a.memory WHERE changed_at = $a.cursor RETURN BEFORE)
	} ELSE {
		(UPDATE $a.memory MERGE object::extend($a.set, { changed_at: time::nano(), due_on: 0 })
			WHERE changed_at = $a.cursor AND ($keep OR !put_away OR $a.set.status != 'active')
				AND ($a.needs = NONE OR (SELECT VALUE status FROM ONLY $a.needs) IN ['created', 'active'])
			RETURN VALUE true)
	};
	IF array::len($made) > 0 {
		INSERT INTO maintenance_action $a.record RETURN NONE;
		IF $keep { UPDATE $a.memory SET kept = true RETURN NONE };
		DELETE $a.cut RETURN NONE;
		INSERT RELATION IGNORE INTO supersedes $a.supersedes RETURN NONE;
		INSERT RELATION IGNORE INTO derived_from $a.derived RETURN NONE;
	};
};
IF $job != NONE {
	LET $stood = (SELECT cursor, slot FROM ONLY $job.id);
	UPSERT $job.id SET cursor = math::max([$stood.cursor ?? 0, math::min([$job.cursor, time::nano() - $overlap])]),
		slot = time::max([$stood.slot ?? d'1970-01-01T00:00:00Z', $job.slot]) RETURN NONE
};
FOR $row IN $due { UPDATE $row.id SET due_on = $row.due_on RETURN NONE };
FOR $row IN $distillations { UPSERT $row.id CONTENT $row RETURN NONE };
COMMIT;
SELECT VALUE record::id(id) FROM $records WHERE id != NONE;`

const (
	leaseLost = "the maintenance lease was lost"
	// overlap is how far a job looks back behind the last change it has seen: a
	// transaction that began before it may have ended after it.
	overlap = 5 * time.Second
)

// Commit implements storetest.Store.
func (s *Store) Commit(ctx context.Context, c memory.Commit) ([]string, error) {
	s.amending.Lock()
	defer s.amending.Unlock()
	purpose := "commit " + c.Subject()
	recorded, err := value[[]string](ctx, s, purpose, commitSQL, commitVars(c))
	var failed *wire.StatementError
	switch {
	case errors.As(err, &failed) && strings.Contains(failed.Message, leaseLost):
		return nil, fmt.Errorf("%s: %w", purpose, memory.ErrLeaseLost)
	case err != nil:
		return nil, err
	}
	return missed(c.Run.Actions, recorded), nil
}

func commitVars(c memory.Commit) map[string]any {
	actions, records := make([]map[string]any, 0, len(c.Run.Actions)), make([]models.RecordID, 0, len(c.Run.Actions))
	for _, a := range c.Run.Actions {
		actions = append(actions, commitRow(c.Run, a))
		records = append(records, recordID("maintenance_action", a.ID))
	}
	due := make([]map[string]any, 0, len(c.Due))
	for id, reading := range c.Due {
		due = append(due, map[string]any{"id": recordID("memory", id), "due_on": reading})
	}
	vars := map[string]any{
		"run": models.None, "keep": c.Keep, "overlap": overlap.Nanoseconds(), "lease": models.None, "job": models.None,
		"actions": actions, "records": records, "grouped": groupedRows(c.Run.Actions), "due": due, "distillations": []map[string]any{},
	}
	if c.Run.ID != "" {
		vars["run"] = runCodec.row(c.Run)
	}
	if c.Lease != nil {
		vars["lease"] = map[string]any{"id": recordID("lease", c.Lease.Name), "holder": c.Lease.Holder, "token": c.Lease.Token}
	}
	if c.Job != nil {
		vars["job"] = map[string]any{"id": recordID("maintenance_job", c.Job.Job), "cursor": int64(c.Job.Cursor), "slot": at(c.Job.Slot)}
	}
	if c.Distillation != nil {
		vars["distillations"] = distillationCodec.rows([]memory.Distillation{*c.Distillation})
	}
	return vars
}

func missed(actions []memory.Action, recorded []string) []string {
	made := make(map[string]bool, len(recorded))
	for _, id := range recorded {
		made[id] = true
	}
	var ids []string
	for _, a := range actions {
		if !made[a.ID] {
			ids = append(ids, a.Memory)
		}
	}
	return ids
}

// commitRow is the row of commitSQL for an action.
func commitRow(run memory.Run, a memory.Action) map[string]any {
	row := map[string]any{
		"record": actionRow(run.ID, a), "memory": recordID("memory", a.Memory), "cursor": int64(a.Cursor), "needs": models.None,
		"group": models.None, "create": models.None, "remove": false, "set": map[string]any{},
		"cut": []models.RecordID{}, "supersedes": []map[string]any{}, "derived": []map[string]any{},
	}
	if a.Needs != "" {
		row["needs"] = recordID("memory", a.Needs)
	}
	if a.Group != "" {
		row["group"] = a.Group
	}
	switch {
	case a.Row != nil && a.Kind == memory.ActionRemove:
		row["remove"] = true
	case a.Row != nil:
		row["create"] = rowCodec.row(*a.Row)
		row["derived"] = derivedRows(a.Memory, nil, a.Row.DerivedFrom, run.StartedAt)
	default:
		changed := a.After.Changed(a.Before)
		row["set"] = stateFields(a.After, changed)
		row["cut"], row["supersedes"] = supersededRows(a, run.StartedAt)
		row["derived"] = derivedRows(a.Memory, a.Before.DerivedFrom, a.After.DerivedFrom, run.StartedAt)
	}
	return row
}

// groupedRows are the actions that are made all or none, with the rows that decide it.
func groupedRows(actions []memory.Action) []map[string]any {
	rows := []map[string]any{}
	for _, a := range actions {
		if a.Group != "" {
			rows = append(rows, map[string]any{
				"record": recordID("maintenance_action", a.ID), "memory": recordID("memory", a.Memory), "cursor": int64(a.Cursor), "group": a.Group,
			})
		}
	}
	return rows
}

// stateFields are the named fields of a state as columns.
func stateFields(s memory.State, names []string) map[string]any {
	fields := only(stateCodec.row(s), names)
	if fields["status"] == string(memory.StatusActive) {
		fields["put_away"] = false
	}
	return fields
}

// supersededRows are the edges that an action removes and adds.
func supersededRows(a memory.Action, when time.Time) (cut []models.RecordID, added []map[string]any) {
	cut, added = []models.RecordID{}, []map[string]any{}
	if a.Before.SupersededBy == a.After.SupersededBy {
		return cut, added
	}
	if a.Before.SupersededBy != "" {
		cut = append(cut, recordID("supersedes", a.Before.SupersededBy+"-"+a.Memory))
	}
	if a.After.SupersededBy != "" {
		added = append(added, edgeRow("supersedes", a.After.SupersededBy, a.Memory, when))
	}
	return cut, added
}

func derivedRows(id string, before, after []string, when time.Time) []map[string]any {
	edges := []map[string]any{}
	for _, source := range after {
		if !slices.Contains(before, source) {
			edges = append(edges, edgeRow("derived_from", id, source, when))
		}
	}
	return edges
}

func edgeRow(table, from, to string, when time.Time) map[string]any {
	return map[string]any{
		"id": recordID(table, from+"-"+to), "in": recordID("memory", from), "out": recordID("memory", to), "at": at(when),
	}
}

// actionRow is the record of an action. It holds the changed fields as JSON objects, so
// that any field of a state can be in it.
func actionRow(run string, a memory.Action) map[string]any {
	before, after := map[string]any{}, map[string]any{}
	switch {
	case a.Row != nil && a.Kind == memory.ActionRemove:
		before = asObject(a.Row)
	case a.Row != nil:
		after = asObject(a.Row)
	default:
		names := a.After.Changed(a.Before)
		before, after = a.Before.Only(names), a.After.Only(names)
	}
	return map[string]any{
		"id": recordID("maintenance_action", a.ID), "run": recordID("maintenance_run", run),
		"memory": recordID("memory", a.Memory), "kind": a.Kind, "reason": a.Reason, "before": before, "after": after,
	}
}

// asObject converts a value to a JSON object.
func asObject(value any) map[string]any {
	object := map[string]any{}
	data, _ := json.Marshal(value) // states and rows hold nothing that JSON cannot
	_ = json.Unmarshal(data, &object)
	return object
}

func only(object map[string]any, names []string) map[string]any {
	for name := range object {
		if !slices.Contains(names, name) {
			delete(object, name)
		}
	}
	return object
}
