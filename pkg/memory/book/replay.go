package book

import (
	"reflect"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// replayKeys returns the keys of the rows that repeating a write depends on.
func replayKeys(w memory.Write) (k memory.Keys) {
	for _, c := range w.Rows {
		k.Add(c.Row())
	}
	return k
}

// replayed converts a write of another store to the rows here. It skips rows that are already deleted or in their new
// state, and does not compare rows of types that are never read.
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
		_, isMemory := c.Before.(memory.Row) // a project can have contents without having a row
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
