package book

import (
	"reflect"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// repeatKeys are the keys of the rows that the repetition of a write depends on.
func repeatKeys(w memory.Write) (k memory.Keys) {
	for _, c := range w.Rows {
		k.Add(c.Row())
	}
	return k
}

// repeated is a write of another store as one of rows as they are here. A row that is to be deleted
// and is not there is left out, and so is one that is as it is to become. Rows that nobody reads are not compared either.
func repeated(w memory.Write, rows memory.Rows) memory.Write {
	var again memory.Write
	for _, c := range w.Rows {
		stored, isRead := rows.Stored(c.Row())
		_, isMemory := c.Before.(memory.Row) // of a project something may be there without its row
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
			row.Cursor, row.DueOn = was.Cursor, was.DueOn
			c.After = row
		}
		again.Rows = append(again.Rows, c)
	}
	return again
}
