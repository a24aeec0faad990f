package memory

import "slices"

// Purge is the set of rows to purge: projects, their sessions, and the memories that were theirs at some time. The empty
// project key stands for everything.
type Purge struct {
	Projects, Sessions, Memories map[string]bool
	IsSession                    func(id string) bool // nil: the sessions in Sessions
	Others                       map[string]string    // as in Sweep
}

func (p Purge) hasSession(id string) bool {
	return p.Sessions[id] || id != "" && p.IsSession != nil && p.IsSession(id)
}

// Rest returns the part of a row that stays, or nil. The tokens spent on a purged session stay counted, and a run keeps its
// other actions.
func (p Purge) Rest(row any) any {
	switch row := row.(type) {
	case Spend:
		if p.hasSession(row.Session) {
			row.Session = ""
		}
		return row
	case Run:
		row.Actions = slices.DeleteFunc(slices.Clone(row.Actions), func(a Action) bool {
			return p.Memories[a.Memory]
		})
		return row
	case Row:
		if p.Memories[row.Memory.ID] || p.Projects[row.Memory.Project] {
			return nil
		}
		if other := p.Others[row.Memory.ID]; other != "" && p.hasSession(row.Memory.Session) {
			row.Memory.Session = other
		}
		return row
	}
	of, isKnown := RowTypeOf(row)
	if !isKnown {
		return row
	}
	about := of.Subject(row)
	if s, isSession := row.(Session); isSession {
		about.Session = s.ID
	}
	isMemory := func(id string) bool { return p.Memories[id] }
	if p.Projects[about.Project] || p.hasSession(about.Session) || slices.ContainsFunc(about.Memories, isMemory) {
		return nil
	}
	return row
}

// Sweep describes which stored rows go, and how the texts of the others change.
type Sweep struct {
	// Clean returns the part of a text that may stay.
	Clean func(string) string
	// Whole is set if a memory or prompt goes with a text that Clean changes, and not only the text. The sweep adds such
	// memories to Memories.
	Whole bool
	// Memories and IsSession select the memories and sessions that go, with all rows about them. The sweep adds to Memories
	// those that only these sessions have stated.
	Memories  map[string]bool
	IsSession func(id string) bool // nil: no session goes
	// Others maps memories that these sessions have stated and that stay to the last other session that has stated them,
	// which the sweep finds, or to the session that they are left.
	Others map[string]string
}

// IsWhole reports whether a row of a table goes if one of its texts changes.
func (s Sweep) IsWhole(table string) bool {
	return s.Whole && (table == "memory" || table == "prompt")
}

// Has reports whether a session goes.
func (s Sweep) Has(session string) bool {
	return session != "" && s.IsSession != nil && s.IsSession(session)
}
