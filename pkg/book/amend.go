package book

import (
	"reflect"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// ChangeWrite returns the write that changes a memory by hand, and the memory after it. New content makes that
// a successor with another id; others holds its row if it exists already. A change without an effect is an
// empty write. memory.ErrInvalid if the memory does not allow the change.
func ChangeWrite(row memory.Row, others map[string]memory.Row, c memory.Change) (memory.Write, memory.Memory, error) {
	var w memory.Write
	before := row.Memory
	after, err := c.Apply(before)
	if err != nil || reflect.DeepEqual(before, after) {
		return w, after, err
	}
	run := memory.AmendRun(before, after, c)
	run.Actions[0] = recorded(run.Actions[0])
	if after.ID == before.ID {
		w.Rows = append(w.Rows, memory.RowChange{Before: row, After: c.Amended(row, after)}, memory.RowChange{After: run})
		return w, after, nil
	}
	old := c.Amended(row, c.Superseded(before, after))
	old.SupersededBy = after.ID
	w.Rows = append(w.Rows, memory.RowChange{Before: row, After: old})
	if known, isThere := others[after.ID]; isThere {
		next := restoreSuccessor(known, after, c)
		w.Rows = append(w.Rows, memory.RowChange{Before: known, After: next})
		after = next.Memory
	} else {
		w.Rows = append(w.Rows, memory.RowChange{After: c.Successor(row, after)})
	}
	edge := memory.Supersession{Memory: after.ID, Old: before.ID, At: c.At}
	w.Rows = append(w.Rows, memory.RowChange{After: edge}, memory.RowChange{After: run})
	return w, after, nil
}

// restoreSuccessor makes an existing successor active again, with the detail of the change, and restores
// its text if it was forgotten.
func restoreSuccessor(row memory.Row, successor memory.Memory, c memory.Change) memory.Row {
	m := row.Memory
	m.Status, m.Detail = memory.StatusActive, successor.Detail
	if m.Content == "" {
		m.Content = successor.Content
	}
	row = c.Amended(row, m)
	row.SupersededBy = ""
	return row
}
