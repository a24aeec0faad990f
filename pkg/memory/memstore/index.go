package memstore

import (
	"cmp"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// index finds rows without a scan, so that a year of sessions with hourly maintenance
// can be tested. Entries may be outdated: readers check the rows themselves.
type index struct {
	about   map[subject][]string // ids
	takenIn map[string][]string  // merged memories by the target of the merge
	open    map[string]bool      // runs that have not ended
	changes []change             // by cursor
	days    map[string][]string  // by project, sorted; nil when there are new ones
}

// subject is a session or a memory that rows of a table are about.
type subject struct{ table, id string }

// change is a row with the cursor that it had.
type change struct {
	cursor memory.ChangeCursor
	id     string
}

// reindex rebuilds the index after rows were removed or inserted in bulk.
func (s *Store) reindex() {
	s.index = index{about: map[subject][]string{}, takenIn: map[string][]string{}, open: map[string]bool{}}
	for _, of := range memory.RowTypes() {
		for id, row := range s.tables[of.Table] {
			s.index.add(of, id, row)
		}
	}
	s.reorder()
}

// add adds a new row.
func (x *index) add(of *memory.RowType, id string, row any) {
	switch row := row.(type) {
	case *memory.Row:
		x.merged(id, row.MergedInto)
	case memory.Run:
		if delete(x.open, id); row.EndedAt.IsZero() {
			x.open[id] = true
		}
	case memory.ActiveDay:
		x.days = nil
	case memory.Prompt, memory.SessionEvent, memory.Sighting:
		about := of.Subject(row)
		for _, one := range append(about.Memories, about.Session) {
			key := subject{of.Table, one}
			x.about[key] = append(x.about[key], id)
		}
	}
}

func (x *index) merged(id, into string) {
	if into != "" && !slices.Contains(x.takenIn[into], id) {
		x.takenIn[into] = append(x.takenIn[into], id)
	}
}

// about returns the rows of a table about a session or a memory.
func about[T any](s *Store, table, id string) (rows []T) {
	for _, row := range s.index.about[subject{table, id}] {
		if row, isThere := get[T](s.tables, table, row); isThere {
			rows = append(rows, row)
		}
	}
	return rows
}

// touch marks a row as changed: it gets a new cursor and is due at once.
func (s *Store) touch(row *memory.Row) {
	s.cursor++
	row.Cursor, row.DueOn = s.cursor, 0
	s.index.changes = append(s.index.changes, change{s.cursor, row.Memory.ID})
}

// reorder drops changes that were followed by another of the same row.
func (s *Store) reorder() {
	s.index.changes = nil
	for row := range all[*memory.Row](s.tables, "memory") {
		s.index.changes = append(s.index.changes, change{row.Cursor, row.Memory.ID})
	}
	slices.SortFunc(s.index.changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.cursor, b.cursor), cmp.Compare(a.id, b.id)) })
}

// changed calls visit with the rows that changed after a cursor, in the order of their
// cursors, until it returns false.
func (s *Store) changed(after memory.ChangeCursor, visit func(*memory.Row) bool) {
	if len(s.index.changes) > 2*len(s.tables["memory"])+100 {
		s.reorder()
	}
	from, _ := slices.BinarySearchFunc(s.index.changes, after+1, func(c change, cursor memory.ChangeCursor) int { return cmp.Compare(c.cursor, cursor) })
	for _, c := range s.index.changes[from:] {
		if row := s.tables.memory(c.id); row != nil && row.Cursor == c.cursor && !visit(row) {
			return
		}
	}
}
