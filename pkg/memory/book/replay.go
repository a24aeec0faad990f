package book

import (
	"reflect"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// replayed adapts a write from another store's journal to this store: the Before of each change becomes the row as it is
// here. It leaves out rows that are deleted or in their new state already. Rows of types that Store.Read cannot return keep
// the Before of the other store, which the store compares with nothing.
func replayed(w memory.Write, rows memory.Rows) memory.Write {
	var again memory.Write
	for _, c := range w.Rows {
		stored, isRead := rows.Stored(c.Row())
		if row, isRow := c.After.(memory.Row); isRow && row.Memory.Content == "" { // the row here has its text
			was, isThere := stored.(memory.Row)
			if !isThere {
				continue
			}
			reason := row.Memory.Detail
			row.Memory.Content, row.Memory.Detail = was.Memory.Content, reason+strings.TrimPrefix(was.Memory.Detail, reason)
			c.After = row
		}
		_, isMemory := c.Before.(memory.Row) // a deleted project may have left memories, so only a memory's deletion is never repeated
		switch {
		case stored != nil && reflect.DeepEqual(stored, c.After):
			if p, isProject := stored.(memory.ProjectRow); !isProject || p.MergedInto == "" {
				continue
			}
			c.Before = stored
		case stored != nil:
			c.Before = stored
		case c.After == nil && isMemory:
			continue
		case c.After != nil && isRead:
			c.Before = nil
		}
		if row, isRow := c.After.(memory.Row); isRow && c.Before != nil {
			was := c.Before.(memory.Row)
			row.Cursor = was.Cursor
			c.After = row
		}
		again.Rows = append(again.Rows, c)
	}
	return again
}
