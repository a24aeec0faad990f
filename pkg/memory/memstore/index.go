package memstore

import (
	"cmp"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// index finds rows without a scan, so that a year of sessions with hourly maintenance
// can be tested. Entries may be outdated: readers check the rows themselves.
type index struct {
	sightings     map[string][]string // ids by memory
	seen          map[string][]string // ids of sightings by session
	prompts       map[string][]string // ids by session
	sessionEvents map[string][]string // ids by session
	takenIn       map[string][]string // merged memories by the target of the merge
	open          map[string]bool     // runs that have not ended
	changes       []change            // by cursor
	counted       countState
	days          map[string][]string // by project, sorted; nil when there are new ones
}

// change is a row with the cursor that it had.
type change struct {
	cursor memory.ChangeCursor
	id     string
}

// countState: an encoding has counted all rows with cursors up to this one.
type countState struct {
	encoding string
	cursor   memory.ChangeCursor
}

// reindex rebuilds the index after rows were removed or inserted in bulk.
func (s *Store) reindex() {
	s.index = index{
		sightings: map[string][]string{}, seen: map[string][]string{}, prompts: map[string][]string{},
		sessionEvents: map[string][]string{}, takenIn: map[string][]string{}, open: map[string]bool{},
	}
	for id, one := range s.sightings {
		s.index.sighting(id, one)
	}
	for id, p := range s.prompts {
		s.index.prompts[p.Session] = append(s.index.prompts[p.Session], id)
	}
	for id, m := range s.sessionEvents {
		s.index.sessionEvents[m.Session] = append(s.index.sessionEvents[m.Session], id)
	}
	for id, at := range s.memories {
		s.index.merged(id, at.MergedInto)
	}
	for id := range s.runs {
		s.index.open[id] = true
	}
	s.reorder()
}

// reorder drops changes that were followed by another of the same row.
func (s *Store) reorder() {
	changes := make([]change, 0, len(s.memories))
	for id, at := range s.memories {
		changes = append(changes, change{at.Cursor, id})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.cursor, b.cursor), cmp.Compare(a.id, b.id)) })
	s.index.changes = changes
}

func (x *index) sighting(id string, one memory.Sighting) {
	x.sightings[one.Memory] = append(x.sightings[one.Memory], id)
	x.seen[one.Session] = append(x.seen[one.Session], id)
}

func (x *index) merged(id, into string) {
	if into != "" && !slices.Contains(x.takenIn[into], id) {
		x.takenIn[into] = append(x.takenIn[into], id)
	}
}

// changed calls visit with the ids of the rows that changed after a cursor, in the
// order of their cursors, until it returns false.
func (s *Store) changed(after memory.ChangeCursor, visit func(id string) bool) {
	if len(s.index.changes) > 2*len(s.memories)+100 {
		s.reorder()
	}
	from, _ := slices.BinarySearchFunc(s.index.changes, after+1, func(c change, cursor memory.ChangeCursor) int { return cmp.Compare(c.cursor, cursor) })
	for _, c := range s.index.changes[from:] {
		if at := s.memories[c.id]; at != nil && at.Cursor == c.cursor && !visit(c.id) {
			return
		}
	}
}

// countedBy reports whether an encoding has counted all memories. It checks only the rows
// that changed since the last call.
func (s *Store) countedBy(encoding string) bool {
	known := s.index.counted
	if known.encoding != encoding {
		known = countState{encoding: encoding, cursor: -1}
	}
	all := true
	s.changed(known.cursor, func(id string) bool {
		all = s.memories[id].Memory.TokenEncoding == encoding
		return all
	})
	if all {
		s.index.counted = countState{encoding, s.cursor}
	}
	return all
}
