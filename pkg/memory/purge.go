package memory

import "slices"

// Sweep describes which stored rows go, and how the texts of the others change.
type Sweep struct {
	// Clean returns the part of a text that may stay.
	Clean func(string) string
	// If Whole is set, a memory or prompt with a text that Clean changes is deleted; otherwise only the text changes. The
	// sweep adds the deleted memories to Memories.
	Whole bool
	// Projects, Memories and IsSession select the projects, memories and sessions to delete, with all rows about them; the empty
	// project key stands for everything. The sweep of a store adds to Memories the memories that only these sessions have
	// stated.
	Projects, Memories map[string]bool
	IsSession          func(id string) bool // nil: no session is deleted
	// Gone lists, by memory, the sightings that are deleted with their sessions, and Stay the others. The sweep of a store
	// adds the sightings that it finds. A memory that is not deleted loses what it had from sightings in Gone only.
	Gone, Stay map[string][]Sighting
}

// Swept counts, by table, the rows that a sweep deletes, and the other rows of which it removes something.
type Swept struct {
	Deleted map[string]int `json:"deleted"`
	Cleaned map[string]int `json:"cleaned"`
}

// Rest returns the part of a row that stays, or nil. The tokens spent on a purged session stay counted, and a run keeps its
// other actions.
func (s Sweep) Rest(row any) any {
	switch row := row.(type) {
	case Spend:
		if s.Has(row.Session) {
			row.Session = ""
		}
		return row
	case Run:
		row.Actions = slices.DeleteFunc(slices.Clone(row.Actions), func(a Action) bool {
			return s.Memories[a.Memory]
		})
		return row
	case Row:
		if s.Memories[row.Memory.ID] || s.Projects[row.Memory.Project] {
			return nil
		}
		if s.Memories[row.SupersededBy] {
			row.SupersededBy = ""
		}
		return row.Without(s.Gone[row.Memory.ID], s.Stay[row.Memory.ID])
	}
	of, isKnown := RowTypeOf(row)
	if !isKnown {
		return row
	}
	about := of.Subject(row)
	if one, isSession := row.(Session); isSession {
		about.Session = one.ID
	}
	isMemory := func(id string) bool { return s.Memories[id] }
	if s.Projects[about.Project] || s.Has(about.Session) || slices.ContainsFunc(about.Memories, isMemory) {
		return nil
	}
	return row
}

// IsWhole reports whether a row of a table goes if one of its texts changes.
func (s Sweep) IsWhole(table string) bool {
	return s.Whole && (table == "memory" || table == "prompt")
}

// CleanerOf returns the function that cleans the texts of a field, or nil if the field stays as it is. If Whole is not set,
// names and folders of projects (HoldsPlace) are cleaned, too: a secret may be anywhere.
func (s Sweep) CleanerOf(h Holds) func(string) string {
	if !s.Whole && h != HoldsID && h != HoldsWord {
		return s.Clean
	}
	return h.Cleaner(s.Clean)
}

func (s Sweep) Has(session string) bool {
	return session != "" && s.IsSession != nil && s.IsSession(session)
}
