package memstore

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// put stores a row as a change.
func (s *Store) put(row memory.Row) {
	s.memories[row.Memory.ID] = &row
	s.index.merged(row.Memory.ID, row.MergedInto)
	s.touch(&row)
}

// stored returns a row as put stored it.
func (s *Store) stored(id string) (memory.Row, bool) {
	row, isThere := s.memories[id]
	if !isThere {
		return memory.Row{}, false
	}
	return *row, true
}

// touch marks a row as changed: it gets a new cursor and is due at once.
func (s *Store) touch(row *memory.Row) {
	s.cursor++
	row.Cursor, row.DueOn = s.cursor, 0
	s.index.changes = append(s.index.changes, change{s.cursor, row.Memory.ID})
}

// witnessed counts the sessions and projects that showed a row or one of those merged
// into it.
func (s *Store) witnessed(row memory.Row) memory.Row {
	sessions, projects := map[string]bool{}, map[string]bool{}
	see := func(id string) {
		for _, sighting := range s.index.sightings[id] {
			session := s.sightings[sighting].Session
			sessions[session] = true
			if known, is := s.sessions[session]; is {
				projects[known.Project] = true
			}
		}
	}
	see(row.Memory.ID)
	for _, other := range s.index.takenIn[row.Memory.ID] {
		if at := s.memories[other]; at != nil && at.MergedInto == row.Memory.ID {
			see(other)
		}
	}
	row.Sessions, row.Projects = max(row.Sessions, len(sessions)), max(row.Projects, len(projects))
	return row
}
