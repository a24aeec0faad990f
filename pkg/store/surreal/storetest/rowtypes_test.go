package storetest

import (
	"errors"
	"reflect"
	"slices"
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
		equal(t, what, m, musttest.Get(memory.Find(t.Context(), in, m.ID))(t))
		equal(t, what+" and exported", []memory.Memory{m}, exportAll(t, in, "").Memories)
	}
}

// rowTypes writes, changes and deletes a row of each type. A new type needs no change here.
func rowTypes(t *testing.T, open func(t *testing.T) Store) {
	store, empty := open(t), open(t)
	ingest(t, store, FullBatch())
	others := copyOut(t, store).byTable()
	types := slices.DeleteFunc(slices.Clone(memory.RowTypes()), func(of *memory.RowType) bool { return RowOf(of, "") == nil })
	apply := func(before, after any) error {
		return store.Apply(t.Context(), memory.Write{Rows: []memory.RowChange{{Before: before, After: after}}})
	}
	// each changes the row of each type, and returns the rows of all tables.
	each := func(what string, change func(of *memory.RowType, row, next any) error) map[string][][]byte {
		t.Helper()
		for _, of := range types {
			if err := change(of, RowOf(of, "written"), RowOf(of, "changed since")); err != nil {
				t.Fatalf("%s: %s: %v", of.Table, what, err)
			}
		}
		return copyOut(t, store).byTable()
	}
	write := func(_ *memory.RowType, row, _ any) error { return apply(nil, row) }

	written := each("a new row", write)
	again := each("the same again", func(of *memory.RowType, row, next any) error {
		switch of.OnConflict {
		case memory.ConflictIgnored:
			return errors.Join(apply(nil, next), apply(nil, row))
		case memory.ConflictRefused:
			if err := apply(nil, row); !errors.Is(err, memory.ErrConflict) && !errors.Is(err, memory.ErrWritten) {
				t.Errorf("%s: it is written twice: %v", of.Table, err)
			}
			return nil
		}
		return apply(nil, row)
	})
	equal(t, "with the same again", written, again)
	changed := each("a change", func(_ *memory.RowType, row, next any) error { return apply(row, next) })
	for _, of := range types {
		equal(t, of.Table+" with a new row", len(others[of.Table])+1, len(written[of.Table]))
		equal(t, of.Table+" with a changed row", len(written[of.Table]), len(changed[of.Table]))
		isSame := reflect.DeepEqual(RowOf(of, "written"), RowOf(of, "changed since"))
		musttest.Same(t, isSame, reflect.DeepEqual(changed[of.Table], written[of.Table]), "%s: a change of the row changes nothing", of.Table)
	}
	equal(t, "without the rows", others, each("a deletion", func(of *memory.RowType, _, next any) error { return apply(of.OnlyKey(next), nil) }))

	all := each("a new row", write)
	for _, of := range types {
		musttest.Do(t, empty.CopyIn(t.Context(), of.Table, all[of.Table]))
	}
	copies := copyOut(t, empty).byTable()
	for _, of := range types {
		equal(t, of.Table+" in a copy", all[of.Table], copies[of.Table])
	}
	musttest.Get(store.Purge(t.Context(), "p"))(t)
	left := copyOut(t, store).byTable()
	for _, of := range memory.RowTypes() {
		want := 0
		if of.Table == "maintenance_run" || of.Table == "spend" { // counts of work and tokens stay
			want = 1
		}
		equal(t, of.Table+" after a purge", want, len(left[of.Table]))
	}
}

// rowsOf returns the rows of a table in the form of CopyOut.
func rowsOf(t *testing.T, store Store, table string) [][]byte {
	t.Helper()
	return copyOut(t, store).byTable()[table]
}
