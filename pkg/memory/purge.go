package memory

import "slices"

// Purge is the set of rows to purge: projects, their sessions, and the memories that were theirs at some time. The
// project of the empty key is everything.
type Purge struct{ Projects, Sessions, Memories map[string]bool }

// Rest returns the part of a row that stays, or nil. The tokens of a purged session stay spent, and a run keeps its other
// actions.
func (p Purge) Rest(row any) any {
	switch row := row.(type) {
	case Spend:
		if p.Sessions[row.Session] {
			row.Session = ""
		}
		return row
	case Run:
		row.Actions = slices.DeleteFunc(slices.Clone(row.Actions), func(a Action) bool {
			return p.Memories[a.Memory] || a.Row != nil && p.Projects[a.Row.Memory.Project]
		})
		return row
	case Row:
		if p.Memories[row.Memory.ID] || p.Projects[row.Memory.Project] {
			return nil
		}
		return row
	}
	of, isKnown := RowTypeOf(row)
	if !isKnown {
		return row
	}
	about := of.Subject(row)
	isMemory := func(id string) bool { return p.Memories[id] }
	if p.Projects[about.Project] || p.Sessions[about.Session] || slices.ContainsFunc(about.Memories, isMemory) {
		return nil
	}
	return row
}
