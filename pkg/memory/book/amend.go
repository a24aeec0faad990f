package book

import (
	"reflect"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// changeWrite returns the write of a change by hand, and the memory after it. row has the memory before the change,
// and after is what the change makes of it. If the ids differ, after is the successor of the old memory; others has
// the successor's row if it exists already; at is the time of the decision. If the change has no effect, the write is empty.
func changeWrite(row memory.Row, after memory.Memory, others map[string]memory.Row, c memory.Change, at time.Time) (memory.Write, memory.Memory) {
	var w memory.Write
	before := row.Memory
	if reflect.DeepEqual(before, after) {
		return w, after
	}
	run := memory.AmendRun(before, after, c)
	run.StartedAt, run.EndedAt = at, at
	if a := &run.Actions[0]; after.Status == before.Status && c.Status == memory.StatusActive {
		a.Before.SupersededBy = row.SupersededBy
	}
	run.Actions[0] = recorded(run.Actions[0])
	if after.ID == before.ID {
		w.Rows = append(w.Rows, memory.RowChange{Before: row, After: c.Amended(row, after)}, memory.RowChange{After: run})
		return w, after
	}
	old := c.Amended(row, c.Superseded(before, after))
	old.SupersededBy = after.ID
	w.Rows = append(w.Rows, memory.RowChange{Before: row, After: old})
	if known, isThere := others[after.ID]; isThere {
		next := restoreSuccessor(known, after, c)
		w.Rows = append(w.Rows, memory.RowChange{Before: known, After: next})
		run, after = withRestored(run, known, next), next.Memory
	} else {
		isUsers := row.UserWritten || after.Source == memory.SourceUser // a person wrote the text
		next := memory.Row{Memory: after, UserWritten: isUsers, UsedAt: c.At}
		w.Rows = append(w.Rows, memory.RowChange{After: next})
		stated := next // as another machine may have the text already: what the text inherits is decided, too
		stated.Memory.Tags, stated.Memory.Pinned, stated.Memory.Kind = after.SaidTags(), false, memory.KindNote
		run = withRestored(run, stated, next)
	}
	w.Rows = append(w.Rows, memory.RowChange{After: run})
	return w, after
}

// restoreSuccessor makes a successor that was there before the edit active again. The successor gets the kind, importance, pin, tags and
// time that the editor saw in the edited memory. An active successor keeps its own pin and tags, too. A successor that is more
// trusted than the edited memory keeps all its own fields.
func restoreSuccessor(row memory.Row, successor memory.Memory, c memory.Change) memory.Row {
	was := row.Memory
	m := was.WithWordingOf(successor)
	m.Status, m.Detail = memory.StatusActive, successor.Detail
	if !was.Outranks(successor) {
		m.Kind, m.Importance, m.Pinned, m.Tags = successor.Kind, successor.Importance, successor.Pinned, successor.Tags
		if successor.LastSeenAt.After(was.LastSeenAt) { // the edit states the new text at this time
			m.LastSeenAt = successor.LastSeenAt
		}
		if was.IsRecallable() {
			m.Pinned, m.Tags = m.Pinned || was.Pinned, memory.Union(m.Tags, was.Tags)
		}
	}
	row = c.Amended(row, m)
	row.SupersededBy, row.UserWritten = "", row.UserWritten || successor.Source == memory.SourceUser
	return row
}

// withRestored adds to the record of an edit what the edit changed in a successor that was there before, as a decision about the
// successor. This action comes first: an undo begins with the last action, so the edited memory is active again before the
// successor is archived.
func withRestored(run memory.Run, was, is memory.Row) memory.Run {
	a := memory.Action{ID: run.ID + "-0", Memory: is.Memory.ID, Kind: memory.ActionAmend, Reason: run.Actions[0].Reason, Before: was.State(), After: is.State()}
	if len(a.After.Changed(a.Before)) == 0 {
		return run
	}
	run.Actions[0].ID = run.ID + "-1"
	run.Actions = []memory.Action{recorded(a), run.Actions[0]}
	run.Examined, run.Changed = 2, 2
	return run
}
