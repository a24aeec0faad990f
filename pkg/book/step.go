package book

import (
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Stood is how things stand before a step of a run.
type Stood struct {
	Memories map[string]memory.Row // those of the actions, and those that these need
	Recorded map[string]bool       // actions that were made before
	Removed  map[string]bool       // memories to be made that somebody had removed
	Run      *memory.Run           // nil: this is its first step
}

// KeysOfStep are the ids of the memories that a step depends on, of its actions, and of the memories
// that it makes.
func KeysOfStep(c memory.Commit) (memories, actions, created []string) {
	for _, a := range c.Run.Actions {
		memories, actions = append(memories, a.Memory), append(actions, a.ID)
		if a.Needs != "" {
			memories = append(memories, a.Needs)
		}
		if isCreation(a) {
			created = append(created, a.Memory)
		}
	}
	return union(memories, nil), actions, created
}

func isCreation(a memory.Action) bool { return a.Row != nil && a.Kind != memory.ActionRemove }

// Step is the write of one step of a run, and the memories that are left alone: their rows have
// changed since the actions were planned.
func Step(c memory.Commit, stood Stood) (w memory.Write, missed []string) {
	s := &step{Commit: c, stood: stood, rows: map[string]memory.Row{}, isGone: map[string]bool{}, isMade: map[string]bool{}}
	made := c.Run
	made.Actions = nil
	broken := s.brokenGroups()
	for _, a := range c.Run.Actions {
		switch {
		case stood.Recorded[a.ID]:
		case !broken[a.Group] && s.do(a):
			made.Actions = append(made.Actions, a)
		default:
			missed = append(missed, a.Memory)
		}
	}
	if c.Run.ID != "" {
		change := memory.RowChange{After: made}
		if stood.Run != nil {
			change.Before = *stood.Run
		}
		s.write.Rows = append(s.write.Rows, change)
	}
	if c.Distillation != nil {
		s.write.Rows = append(s.write.Rows, memory.RowChange{After: *c.Distillation})
	}
	s.write.Lease, s.write.Job, s.write.Due = c.Lease, c.Job, c.Due
	return s.write, missed
}

// step is a write under way, with the rows as it leaves them.
type step struct {
	memory.Commit
	stood  Stood
	write  memory.Write
	rows   map[string]memory.Row // that it has changed or made
	isGone map[string]bool       // it has removed it
	isMade map[string]bool       // it has changed, made or removed it
}

func (s *step) add(before, after any) {
	s.write.Rows = append(s.write.Rows, memory.RowChange{Before: before, After: after})
}

// brokenGroups are the groups of which a row is not as it was planned on.
func (s *step) brokenGroups() map[string]bool {
	broken := map[string]bool{}
	for _, a := range s.Run.Actions {
		if row, isThere := s.stood.Memories[a.Memory]; a.Group != "" && !s.stood.Recorded[a.ID] && (!isThere || row.Cursor != a.Cursor) {
			broken[a.Group] = true
		}
	}
	return broken
}

// do makes an action, unless its row is not as it was planned on.
func (s *step) do(a memory.Action) bool {
	row, isThere := s.stood.Memories[a.Memory]
	switch {
	case s.isMade[a.Memory]:
		return false
	case isCreation(a):
		if isThere || !s.Keep && s.stood.Removed[a.Memory] {
			return false
		}
		row = *a.Row
		row.Kept = row.Kept || s.Keep
		s.add(nil, row)
		s.derive(a.Memory, nil, row.DerivedFrom)
	case !isThere || row.Cursor != a.Cursor || !s.hasNeeds(a):
		return false
	case a.Kind == memory.ActionRemove && a.Row != nil:
		s.add(row, nil)
		s.isGone[a.Memory] = true
	case !s.change(a, row):
		return false
	}
	s.isMade[a.Memory] = true
	return true
}

// hasNeeds says whether the memory that an action needs is active. It must be so still when the
// write is made.
func (s *step) hasNeeds(a memory.Action) bool {
	if a.Needs == "" {
		return true
	}
	if row, isChanged := s.rows[a.Needs]; isChanged || s.isGone[a.Needs] {
		return row.Memory.Status.InSight()
	}
	row, isThere := s.stood.Memories[a.Needs]
	if !isThere || !row.Memory.Status.InSight() {
		return false
	}
	s.add(row, row)
	return true
}

// change changes the fields of a row that an action changes.
func (s *step) change(a memory.Action, row memory.Row) bool {
	names := a.After.Changed(a.Before)
	comesBack := slices.Contains(names, "status") && a.After.Status == memory.StatusActive
	if comesBack && !s.Keep && row.PutAway {
		return false
	}
	next := row.With(row.State().Patch(names, a.After))
	next.Kept, next.PutAway = row.Kept || s.Keep, row.PutAway && !comesBack
	s.add(row, next)
	s.rows[a.Memory] = next
	if before, after := a.Before.SupersededBy, a.After.SupersededBy; before != after {
		if before != "" {
			s.add(memory.Supersession{Memory: before, Old: a.Memory}, nil)
		}
		if after != "" {
			s.add(nil, memory.Supersession{Memory: after, Old: a.Memory, At: s.Run.StartedAt})
		}
	}
	s.derive(a.Memory, a.Before.DerivedFrom, a.After.DerivedFrom)
	return true
}

func (s *step) derive(id string, before, after []string) {
	for _, source := range after {
		if !slices.Contains(before, source) {
			s.add(nil, memory.Derivation{Memory: id, From: source, At: s.Run.StartedAt})
		}
	}
}
