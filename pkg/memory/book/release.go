package book

import (
	"context"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// release lets the user's words hold again that a memory superseded which the write makes inactive and which nothing takes the place of, unless
// that memory is the user's own word. The write's run records it before its other actions: an undo then ends with it.
func release(ctx context.Context, store memory.KeyReader, w *memory.Write) error {
	var gone []string
	at, run := map[string]int{}, -1
	for i, c := range w.Rows {
		switch is := c.After.(type) {
		case memory.Run:
			run = i
		case memory.Row:
			at[is.Memory.ID] = i
			was, _ := c.Before.(memory.Row)
			if was.Memory.IsRecallable() && !is.Memory.IsRecallable() && is.SupersededBy+is.MergedInto == "" && !is.Memory.IsUsersWord() {
				gone = append(gone, is.Memory.ID)
			}
		}
	}
	for passed := map[string]bool{}; len(gone) > 0; {
		rows, err := store.Read(ctx, memory.Keys{Replaced: gone})
		if err != nil {
			return err
		}
		gone = nil
		for id, row := range rows.Memories {
			i, isIn := at[id]
			if isIn {
				row = w.Rows[i].After.(memory.Row)
			}
			switch next := row; {
			case passed[id] || row.SupersededBy+row.MergedInto == "":
			case !row.Memory.IsRecallable() || !row.IsUsers(): // what it had superseded in its turn
				gone = append(gone, id)
			default:
				if next.SupersededBy = ""; isIn {
					w.Rows[i].After = next
				} else {
					w.Rows = append(w.Rows, memory.RowChange{Before: row, After: next})
				}
				a := recorded(row.Becomes(next.State(), memory.ActionAmend, "what had superseded it is not active any more"))
				its := w.Rows[run].After.(memory.Run)
				a.ID, its.Actions = its.ID+"--"+id, slices.Clone(its.Actions)
				its.Actions = slices.Insert(its.Actions, 0, a)
				w.Rows[run].After = its
			}
			passed[id] = true
		}
	}
	return nil
}
