package book

import (
	"reflect"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// repeatKeys are the keys of the rows that the repetition of a write depends on.
func repeatKeys(w memory.Write) memory.Keys {
	var k memory.Keys
	for _, c := range w.Rows {
		row := c.After
		if row == nil {
			row = c.Before
		}
		switch row := row.(type) {
		case memory.ProjectRow:
			k.Projects = append(k.Projects, row.Key)
		case memory.Session:
			k.Sessions = append(k.Sessions, row.ID)
		case memory.Row:
			k.Memories = append(k.Memories, row.Memory.ID)
		case memory.Use:
			k.Uses = append(k.Uses, row.Key())
		case memory.Run:
			k.Runs = append(k.Runs, row.ID)
		}
	}
	return k
}

// repeated is a write of another store as one of rows as they are here. A row that is to be deleted
// and is not there is left out, and so is one that is as it is to become.
func repeated(w memory.Write, rows memory.Rows) memory.Write {
	var again memory.Write
	for _, c := range w.Rows {
		stored, isThere := storedRow(c, rows)
		switch {
		case isThere && reflect.DeepEqual(stored, c.After):
			if p, isProject := stored.(memory.ProjectRow); !isProject || p.MergedInto == "" {
				continue
			}
			c.Before = stored
		case isThere:
			c.Before = stored
		case c.After == nil && isMemory(c.Before):
			continue
		case c.After != nil:
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

// isMemory reports whether a row is one of a memory. Of a project something may be there without its row, and of an
// edge it is not read whether it is there.
func isMemory(row any) bool {
	_, isRow := row.(memory.Row)
	return isRow
}

// storedRow is the row that a change is about, as it is here.
func storedRow(c memory.RowChange, rows memory.Rows) (any, bool) {
	row := c.After
	if row == nil {
		row = c.Before
	}
	switch row := row.(type) {
	case memory.ProjectRow:
		return found(rows.Projects, row.Key)
	case memory.Session:
		return found(rows.Sessions, row.ID)
	case memory.Row:
		return found(rows.Memories, row.Memory.ID)
	case memory.Run:
		return found(rows.Runs, row.ID)
	case memory.Use:
		return row, rows.Uses[row.Key()]
	}
	return nil, false
}

func found[T any](rows map[string]T, key string) (any, bool) {
	row, isThere := rows[key]
	return row, isThere
}
