package memstore

import (
	"cmp"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/book"
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

// learn takes in a memory that was seen.
func (s *Store) learn(next memory.Memory) {
	row, known := s.stored(next.ID)
	if !known {
		s.put(book.NewRow(next, s.sessions[next.Session].Project))
		return
	}
	if next.LastSeenAt.After(row.Memory.LastSeenAt) {
		s.passOn(row.MergedInto, next.LastSeenAt)
	}
	if row, changed := book.Seen(row, next); changed {
		s.put(row)
	}
}

// passOn tells the memory that another was merged into that the other was seen.
func (s *Store) passOn(into string, at time.Time) {
	for range len(s.memories) { // ends even if rows point at each other
		m, known := s.memories[into]
		if !known {
			return
		}
		if m.LastSeenAt.Before(at) {
			m.LastSeenAt = at
			s.memories[into] = m
			s.touch(into)
		}
		into = s.standings[into].MergedInto
	}
}

func (s *Store) markUserWritten(ids []string) {
	for _, id := range ids {
		if at := s.standings[id]; at != nil && !at.UserWritten {
			at.UserWritten = true
			s.touch(id)
		}
	}
}

func (s *Store) use(u memory.Use) {
	key := u.Memory + "\x00" + u.Session
	at := s.standings[u.Memory]
	if at == nil || s.uses[key] {
		return
	}
	s.uses[key] = true
	at.Uses++
	at.UsedOn = -1
	if u.At.After(at.UsedAt) {
		at.UsedAt = u.At
	}
	s.touch(u.Memory)
}

// amend writes a person's change of a memory.
func (s *Store) amend(after memory.Memory, c memory.Change) {
	row, _ := s.stored(after.ID)
	s.put(c.Amended(row, after))
}

// supersede replaces a memory by a successor, and returns the successor as stored.
func (s *Store) supersede(before, successor memory.Memory, c memory.Change) memory.Memory {
	s.amend(c.Superseded(before, successor), c)
	s.standings[before.ID].SupersededBy = successor.ID
	old, _ := s.stored(before.ID)
	known, exists := s.memories[successor.ID]
	if !exists {
		s.put(c.Successor(old, successor))
		return successor
	}
	known.Status, known.Detail = memory.StatusActive, successor.Detail
	if known.Content == "" { // it was forgotten
		known.Content = successor.Content
	}
	s.amend(known, c)
	s.standings[known.ID].SupersededBy = ""
	return known
}

// derive notes that a memory was derived from another.
func (s *Store) derive(d memory.Derivation) {
	at := s.standings[d.Memory]
	if at == nil || slices.Contains(at.DerivedFrom, d.From) {
		return
	}
	at.DerivedFrom = append(slices.Clone(at.DerivedFrom), d.From)
	s.touch(d.Memory)
}
