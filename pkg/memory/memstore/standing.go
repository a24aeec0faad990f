package memstore

import (
	"cmp"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// put stores a row as it is, as a change.
func (s *Store) put(row memory.Row) {
	s.memories[row.Memory.ID] = row.Memory
	id := row.Memory.ID
	row.Memory = memory.Memory{}
	s.standings[id] = &row
	s.index.merged(id, row.MergedInto)
	s.touch(id)
}

// stored is a row as it was put.
func (s *Store) stored(id string) (memory.Row, bool) {
	m, known := s.memories[id]
	if !known {
		return memory.Row{}, false
	}
	row := *s.standings[id]
	row.Memory = m
	return row, true
}

// touch marks a row as changed: it gets a new cursor and is due at once.
func (s *Store) touch(id string) {
	s.cursor++
	s.standings[id].Cursor, s.standings[id].DueOn = s.cursor, 0
	s.index.changes = append(s.index.changes, change{s.cursor, id})
}

// rows returns the rows that keep accepts, with the counts of their sessions and
// projects, ordered by id. keep gets rows without these counts.
func (s *Store) rows(keep func(memory.Row) bool) []memory.Row {
	var kept []memory.Row
	for id := range s.memories {
		if row, _ := s.stored(id); keep(row) {
			kept = append(kept, s.witnessed(row))
		}
	}
	slices.SortFunc(kept, func(a, b memory.Row) int { return cmp.Compare(a.Memory.ID, b.Memory.ID) })
	return kept
}

// row is a row with the counts of its sessions and projects.
func (s *Store) row(id string) (memory.Row, bool) {
	row, known := s.stored(id)
	if !known {
		return row, false
	}
	return s.witnessed(row), true
}

// witnessed counts the sessions and projects that saw a row or one of those merged into
// it.
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
		if at := s.standings[other]; at != nil && at.MergedInto == row.Memory.ID {
			see(other)
		}
	}
	row.Sessions, row.Projects = max(row.Sessions, len(sessions)), max(row.Projects, len(projects))
	return row
}
