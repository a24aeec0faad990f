package journal

import (
	"encoding/json"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Ran is a step of a run: maintenance, distillation, or an undo of any run. The actions are
// those that were made, and nothing else of the run's.
type Ran struct {
	Run     memory.Run `json:"run"` // without actions
	Keep    bool       `json:"keep,omitempty"`
	Actions []Action   `json:"actions,omitempty"`
}

// Action is an action as it was made. Of the states it has the fields that it changed.
type Action struct {
	memory.Action
	// Project is that of the memory when the action was made; empty for the user's.
	Project string `json:"project,omitempty"`
}

// StepOf is the record of a commit, without the actions that were left alone: missed has
// the memory of each of these.
func StepOf(c memory.Commit, missed []string) Ran {
	step := Ran{Run: c.Run, Keep: c.Keep}
	step.Run.Actions = nil
	left := made(c.Run.Actions, missed)
	for _, a := range left {
		step.Actions = append(step.Actions, Action{Action: a, Project: projectOf(a)})
	}
	return step
}

// made are the actions that were made. Of several of one memory the first was: after it the
// row was not as the others were planned on.
func made(actions []memory.Action, missed []string) []memory.Action {
	if len(missed) == 0 {
		return actions
	}
	var left []memory.Action
	for _, a := range slices.Backward(actions) {
		if i := slices.Index(missed, a.Memory); i >= 0 {
			missed = slices.Concat(missed[:i], missed[i+1:])
			continue
		}
		left = append(left, a)
	}
	slices.Reverse(left)
	return left
}

func projectOf(a memory.Action) string {
	if a.Row != nil {
		return a.Row.Memory.Project
	}
	return a.Before.Project
}

// Commit is the step as a store takes it. The cursors of the rows are the caller's to set.
func (r Ran) Commit() memory.Commit {
	c := memory.Commit{Run: r.Run, Keep: r.Keep}
	for _, a := range r.Actions {
		c.Run.Actions = append(c.Run.Actions, a.Action)
	}
	return c
}

// MarshalJSON leaves out of the states all that the action did not change.
func (a Action) MarshalJSON() ([]byte, error) {
	wire := struct {
		ID      string         `json:"id"`
		Memory  string         `json:"memory"`
		Project string         `json:"project,omitempty"`
		Kind    string         `json:"kind"`
		Reason  string         `json:"reason,omitempty"`
		Before  map[string]any `json:"before,omitempty"`
		After   map[string]any `json:"after,omitempty"`
		Row     *memory.Row    `json:"row,omitempty"`
	}{ID: a.ID, Memory: a.Memory, Project: a.Project, Kind: a.Kind, Reason: a.Reason, Row: a.Row}
	if a.Row == nil {
		changed := a.After.Changed(a.Before)
		wire.Before, wire.After = a.Before.Only(changed), a.After.Only(changed)
	}
	return json.Marshal(wire)
}
