package storetest

import (
	"errors"
	"reflect"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// wholeMemory checks each field of a memory in every table, copy and export.
func wholeMemory(t *testing.T, open func(t *testing.T) Store) {
	store, empty := open(t), open(t)
	m := WholeMemory()
	batch := FullBatch()
	batch.Memories = []memory.Memory{m}
	ingest(t, store, batch)
	musttest.Do(t, empty.CopyIn(t.Context(), "memory", rowsOf(t, store, "memory")))
	for what, in := range map[string]Store{"stored": store, "copied": empty} {
		equal(t, what, m, must[memory.Memory](t)(memory.Find(t.Context(), in, m.ID)))
		equal(t, what+" and exported", []memory.Memory{m}, exportAll(t, in, "").Memories)
	}
}

// rowTypes writes, changes and deletes a row of each type. A new type needs no change here.
func rowTypes(t *testing.T, open func(t *testing.T) Store) {
	store, empty := open(t), open(t)
	ingest(t, store, FullBatch())
	before := copyOut(t, store).byTable()
	var written []string
	for _, of := range memory.RowTypes() {
		if row := RowOf(of, "written"); row != nil {
			rowChanges(t, store, of, row, before[of.Table])
			written = append(written, of.Table)
		}
	}
	all := copyOut(t, store).byTable()
	for _, table := range written {
		musttest.Do(t, empty.CopyIn(t.Context(), table, all[table]))
	}
	copies := copyOut(t, empty).byTable()
	for _, table := range written {
		equal(t, table+" in a copy", all[table], copies[table])
	}
	must[memory.Holding](t)(store.Purge(t.Context(), "p"))
	left := copyOut(t, store).byTable()
	for _, of := range memory.RowTypes() {
		want := 0
		if of.Table == "maintenance_run" || of.Table == "spend" { // counts of work and tokens stay
			want = 1
		}
		equal(t, of.Table+" after a purge", want, len(left[of.Table]))
	}
}

// rowChanges changes one row, which exists in the end, of a table that has some others.
func rowChanges(t *testing.T, store Store, of *memory.RowType, row any, others [][]byte) {
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
	next := RowOf(of, "changed since")
	written := rows("a new row", nil, row)
	equal(t, of.Table+" with a new row", len(others)+1, len(written))
	switch of.OnConflict {
	case memory.ConflictIgnored:
		equal(t, of.Table+" with another of the same id", written, rows("another of the same id", nil, next))
		fallthrough
	case memory.ConflictReplaces:
		equal(t, of.Table+" with the same again", written, rows("the same again", nil, row))
	case memory.ConflictRefused:
		if err := apply(nil, row); !errors.Is(err, memory.ErrConflict) && !errors.Is(err, memory.ErrWritten) {
			t.Errorf("%s: it is written twice: %v", of.Table, err)
		}
	}
	changed := rows("a change", row, next)
	equal(t, of.Table+" with a changed row", len(written), len(changed))
	musttest.Same(t, reflect.DeepEqual(row, next), reflect.DeepEqual(changed, written), "%s: a change of the row changes nothing", of.Table)
	equal(t, of.Table+" without the row", others, rows("a deletion", of.OnlyKey(next), nil))
	rows("a new row", nil, row)
}

// rowsOf returns the rows of a table in the form of CopyOut.
func rowsOf(t *testing.T, store Store, table string) [][]byte {
	t.Helper()
	return copyOut(t, store).byTable()[table]
}
