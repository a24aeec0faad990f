package journal

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Ran is a step of a run: maintenance, distillation, or an undo of any run. The actions are
// those that were made, and nothing else of the run's.
type Ran struct {
	Run     memory.Run // without actions
	Keep    bool       // the memories are kept as they are from then on
	Actions []Action
}

// Action is an action of a run, with the changed fields of its states.
type Action struct {
	memory.Action
	// Project is that of the memory when the action was made; empty for the user's.
	Project string
}

// StepOf is the record of a commit, without the missed actions: missed has their
// memories.
func StepOf(c memory.Commit, missed []string) Ran {
	step := Ran{Run: c.Run, Keep: c.Keep}
	step.Run.Actions = nil
	left := made(c.Run.Actions, missed)
	for _, a := range left {
		step.Actions = append(step.Actions, Action{Action: a, Project: projectOf(a)})
	}
	return step
}

// made are the actions that were not missed. Of several actions on one memory the later
// ones were missed: the first changed the row that they were planned on.
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

// writtenRan is a Ran as it is written.
type writtenRan struct {
	Run     memory.Run      `json:"run"`
	Keep    bool            `json:"keep,omitempty"`
	Actions []writtenAction `json:"actions,omitempty"`
}

// writtenAction is the file's form of an Action: its id without that of the run, its reason
// only if it differs from the one before, and of its states the changed fields.
type writtenAction struct {
	ID      string          `json:"id"`
	Memory  string          `json:"memory"`
	Project string          `json:"project,omitempty"`
	Kind    string          `json:"kind"`
	Reason  string          `json:"reason,omitempty"`
	IsSame  bool            `json:"same,omitempty"` // its reason
	Before  json.RawMessage `json:"before,omitempty"`
	After   json.RawMessage `json:"after,omitempty"`
	Row     *memory.Row     `json:"row,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (r Ran) MarshalJSON() ([]byte, error) {
	written := writtenRan{Run: r.Run, Keep: r.Keep}
	reason := ""
	for _, a := range r.Actions {
		w := writtenAction{
			ID: strings.TrimPrefix(a.ID, r.Run.ID), Memory: a.Memory, Project: a.Project, Kind: a.Kind, Reason: a.Reason, Row: a.Row,
		}
		if a.Reason != "" && a.Reason == reason {
			w.Reason, w.IsSame = "", true
		}
		reason = a.Reason
		if a.Row == nil {
			changed := a.After.Changed(a.Before)
			before, errBefore := json.Marshal(a.Before.Only(changed))
			after, errAfter := json.Marshal(a.After.Only(changed))
			if err := errors.Join(errBefore, errAfter); err != nil {
				return nil, err
			}
			w.Before, w.After = before, after
		}
		written.Actions = append(written.Actions, w)
	}
	return json.Marshal(written)
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Ran) UnmarshalJSON(text []byte) error {
	var written writtenRan
	if err := json.Unmarshal(text, &written); err != nil {
		return err
	}
	*r = Ran{Run: written.Run, Keep: written.Keep}
	reason := ""
	for _, w := range written.Actions {
		a := Action{Project: w.Project, Action: memory.Action{ID: w.ID, Memory: w.Memory, Kind: w.Kind, Reason: w.Reason, Row: w.Row}}
		if strings.HasPrefix(w.ID, "-") {
			a.ID = r.Run.ID + w.ID
		}
		if w.IsSame {
			a.Reason = reason
		}
		reason = a.Reason
		for _, state := range []struct {
			text json.RawMessage
			into *memory.State
		}{{w.Before, &a.Before}, {w.After, &a.After}} {
			if len(state.text) == 0 {
				continue
			}
			if err := json.Unmarshal(state.text, state.into); err != nil {
				return err
			}
		}
		r.Actions = append(r.Actions, a)
	}
	return nil
}
