package book

import (
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// StepKeys returns the keys of the rows that a step of a run depends on.
func StepKeys(c memory.Commit) memory.Keys {
	k := memory.Keys{Runs: []string{c.Run.ID}, Jobs: []string{clock}}
	for _, a := range c.Run.Actions {
		k.Memories, k.Actions = append(k.Memories, a.Memory), append(k.Actions, a.ID)
		if a.Needs != "" {
			k.Memories = append(k.Memories, a.Needs)
		}
	}
	k.Memories = memory.Union(k.Memories)
	return k
}

// recorded returns an action as it is stored: its states reduced to the changed fields.
func recorded(a memory.Action) memory.Action {
	names := append(a.After.Changed(a.Before), a.Fields...)
	a.Before, a.After = memory.State{}.Patch(names, a.Before), memory.State{}.Patch(names, a.After)
	a.Cursor, a.Needs, a.Group = 0, "", ""
	return a
}

// StepWrite returns the write of one step of a run, and the ids of the memories whose action was left out. It leaves an
// action out if the row, or a row of the action's group, has changed since planning, if a memory that the action needs is
// not active, or if a person archived what the action would restore.
func StepWrite(c memory.Commit, rows memory.Rows) (w memory.Write, skipped []string) {
	s := &step{Commit: c, rows: rows, after: map[string]memory.Row{}}
	applied := c.Run
	applied.Actions = nil
	broken := s.brokenGroups()
	for _, a := range c.Run.Actions {
		switch {
		case rows.Actions[a.ID]:
		case !broken[a.Group] && s.do(a):
			applied.Actions = append(applied.Actions, recorded(a))
		default:
			skipped = append(skipped, a.Memory)
		}
	}
	if c.Run.ID != "" {
		change := memory.RowChange{}
		if stored, isThere := rows.Runs[c.Run.ID]; isThere {
			change.Before, applied.StartedAt = stored, latest(stored.StartedAt, applied.StartedAt)
		}
		if c.Job == nil && applied.Trigger != memory.BySync && slices.ContainsFunc(applied.Actions, func(a memory.Action) bool { return slices.Contains(memory.DecisionKinds(), a.Kind) }) {
			applied.StartedAt = dated(applied.StartedAt, rows)
		}
		change.After = applied
		s.write.Rows = append(s.write.Rows, change)
	}
	if c.Distillation != nil {
		s.write.Rows = append(s.write.Rows, memory.RowChange{After: *c.Distillation})
	}
	for _, row := range c.Old {
		s.add(row, nil)
	}
	s.write.Lease, s.write.Job = c.Lease, c.Job
	return s.write, skipped
}

// step is an unfinished write of one step of a run.
type step struct {
	memory.Commit
	rows  memory.Rows           // the rows before the step
	after map[string]memory.Row // the new rows
	write memory.Write
}

func (s *step) add(before, after any) {
	s.write.Rows = append(s.write.Rows, memory.RowChange{Before: before, After: after})
}

// brokenGroups returns the groups with a row that has changed since planning.
func (s *step) brokenGroups() map[string]bool {
	broken := map[string]bool{}
	for _, a := range s.Run.Actions {
		if row, isThere := s.rows.Memories[a.Memory]; a.Group != "" && !s.rows.Actions[a.ID] && (!isThere || row.Cursor != a.Cursor) {
			broken[a.Group] = true
		}
	}
	return broken
}

// do applies an action, or returns false if the action must be left out.
func (s *step) do(a memory.Action) bool {
	row, isThere := s.rows.Memories[a.Memory]
	_, isDone := s.after[a.Memory]
	return !isDone && isThere && row.Cursor == a.Cursor && s.hasNeeds(a) && s.change(a, row)
}

// hasNeeds reports whether the memory that an action needs is active. The write checks this again when it is applied.
func (s *step) hasNeeds(a memory.Action) bool {
	if a.Needs == "" {
		return true
	}
	if row, isDone := s.after[a.Needs]; isDone {
		return row.Memory.IsRecallable()
	}
	row, isThere := s.rows.Memories[a.Needs]
	if !isThere || !row.Memory.IsRecallable() {
		return false
	}
	s.add(row, row)
	return true
}

// change applies the changed fields of an action to its row. Only an undo or a decision restores a memory that a person archived.
func (s *step) change(a memory.Action, row memory.Row) bool {
	names := a.After.Changed(a.Before)
	comesBack := slices.Contains(names, "status") && a.After.Status == memory.StatusActive
	if comesBack && row.Rejected && !s.Exempt && a.Rejected == nil {
		return false
	}
	next := row.With(row.State().Patch(names, a.After))
	next.Exempt, next.Rejected = row.Exempt || s.Exempt, row.Rejected && !comesBack
	if a.Kind == memory.ActionAmend && next.Memory.Status != row.Memory.Status { // an undo of a decision is a decision, too
		next.Rejected = next.Memory.Status == memory.StatusArchived
	}
	if a.Rejected != nil {
		next.Rejected = *a.Rejected
	}
	s.add(row, next)
	s.after[a.Memory] = next
	return true
}
