package storetest

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// filled returns a row without empty columns, whose texts that are no key are the given one.
func filled(of *memory.RowType, text string) any {
	row := reflect.ValueOf(of.Zero())
	into := reflect.New(row.Type()).Elem()
	for _, column := range of.Columns {
		field := into.FieldByIndex(column.Field)
		switch {
		case column.Of == "memory":
			field.SetString(fullBatch().Memories[0].ID)
		case column.Of == "session":
			field.SetString("s1")
		case column.Name == "project":
			field.SetString("p")
		case field.Kind() == reflect.String && slices.Contains([]string{"id", "day", "path"}, column.Name):
			field.SetString("key")
		default:
			setField(field, text)
		}
	}
	return into.Interface()
}

// setField sets a field to a value derived from a text.
func setField(field reflect.Value, text string) {
	switch {
	case field.Type() == reflect.TypeFor[time.Time]():
		field.Set(reflect.ValueOf(minute(len(text))))
	case field.Kind() == reflect.String:
		field.SetString(text)
	case field.CanInt():
		field.SetInt(int64(len(text)))
	case field.CanFloat():
		field.SetFloat(float64(len(text)) + 0.5)
	case field.Kind() == reflect.Bool:
		field.SetBool(true)
	case field.Type() == reflect.TypeFor[[]string]():
		field.Set(reflect.ValueOf([]string{text}))
	}
}

// FullBatch returns a batch with a project, a session and a memory.
func FullBatch() memory.Batch { return fullBatch() }

// RowOf returns a row of a type, related to those of FullBatch, with some text; nil for the types in FullBatch.
// Another text gives the same row with changes.
func RowOf(of *memory.RowType, text string) any {
	m := fullBatch().Memories[0].ID
	switch of.Zero().(type) {
	case memory.ProjectRow, memory.Session, memory.Row:
		return nil
	case memory.Use:
		return memory.Use{Memory: m, Session: "s1", How: memory.UseTouched, At: minute(len(text))}
	case memory.Distillation:
		return memory.Distillation{Session: "s1", State: memory.DistillationWaiting, Reason: text, NextTry: minute(1), QueuedAt: minute(1)}
	case memory.Derivation:
		return memory.Derivation{Memory: m, From: "another", At: minute(len(text))}
	case memory.Supersession:
		return memory.Supersession{Memory: m, Old: "another", At: minute(len(text))}
	}
	return filled(of, text)
}

// WholeMemory returns a memory without empty stored fields. A new field needs no change here.
func WholeMemory() memory.Memory {
	m := note("p", "whole", minute(1))
	v := reflect.ValueOf(&m).Elem()
	for _, column := range memory.ColumnsOf(v.Type()) {
		if field := v.FieldByIndex(column.Field); field.IsZero() {
			setField(field, "text")
		}
	}
	return m
}

// wholeMemory checks each field of a memory in every table, copy and export.
func wholeMemory(t *testing.T, open func(t *testing.T) Store) {
	store, empty := open(t), open(t)
	m := WholeMemory()
	batch := fullBatch()
	batch.Memories = []memory.Memory{m}
	ingest(t, store, batch)
	for _, one := range rowsOf(t, store, "memory") {
		if err := empty.CopyIn(t.Context(), "memory", [][]byte{one}); err != nil {
			t.Fatal(err)
		}
	}
	for what, in := range map[string]Store{"stored": store, "copied": empty} {
		equal(t, what, m, must[memory.Memory](t)(memory.Find(t.Context(), in, m.ID)))
		equal(t, what+" and exported", []memory.Memory{m}, exportAll(t, in, "").Memories)
	}
}

// rowTypes writes, changes and deletes a row of each type. A new type needs no change here.
func rowTypes(t *testing.T, open func(t *testing.T) Store) {
	store, empty := open(t), open(t)
	ingest(t, store, fullBatch())
	for _, of := range memory.RowTypes() {
		row := RowOf(of, "written")
		if row == nil {
			continue
		}
		rowChanges(t, store, of, row)
		rows := rowsOf(t, store, of.Table)
		for _, one := range rows {
			if err := empty.CopyIn(t.Context(), of.Table, [][]byte{one}); err != nil {
				t.Fatal(err)
			}
		}
		equal(t, of.Table+" in a copy", rows, rowsOf(t, empty, of.Table))
	}
	must[memory.Holding](t)(store.Purge(t.Context(), "p"))
	for _, of := range memory.RowTypes() {
		want := 0
		if of.Table == "maintenance_run" || of.Table == "spend" { // counts of work and tokens stay
			want = 1
		}
		equal(t, of.Table+" after a purge", want, len(rowsOf(t, store, of.Table)))
	}
}

// rowChanges changes one row, which exists in the end.
func rowChanges(t *testing.T, store Store, of *memory.RowType, row any) {
	t.Helper()
	apply := func(before, after any) error {
		return store.Apply(t.Context(), memory.Write{Rows: []memory.RowChange{{Before: before, After: after}}})
	}
	rows := func(what string, before, after any) [][]byte {
		if err := apply(before, after); err != nil {
			t.Fatalf("%s: %s: %v", of.Table, what, err)
		}
		return rowsOf(t, store, of.Table)
	}
	none, next := rowsOf(t, store, of.Table), RowOf(of, "changed since")
	written := rows("a new row", nil, row)
	equal(t, of.Table+" with a new row", len(none)+1, len(written))
	if of.OnConflict != memory.ConflictRefused {
		equal(t, of.Table+" with the same again", written, rows("the same again", nil, row))
	} else if err := apply(nil, row); !errors.Is(err, memory.ErrConflict) && !errors.Is(err, memory.ErrWritten) {
		t.Errorf("%s: it is written twice: %v", of.Table, err)
	}
	changed := rows("a change", row, next)
	equal(t, of.Table+" with a changed row", len(written), len(changed))
	if reflect.DeepEqual(changed, written) != reflect.DeepEqual(row, next) {
		t.Errorf("%s: a change of the row changes nothing", of.Table)
	}
	equal(t, of.Table+" without the row", none, rows("a deletion", of.OnlyKey(next), nil))
	rows("a new row", nil, row)
}

// rowsOf returns the rows of a table in the form of CopyOut.
func rowsOf(t *testing.T, store Store, table string) (rows [][]byte) {
	t.Helper()
	all := copyOut(t, store)
	for i, row := range all.rows {
		if all.tables[i] == table {
			rows = append(rows, row)
		}
	}
	return rows
}
