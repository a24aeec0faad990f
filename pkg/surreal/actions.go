package surreal

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// actionRow is the record of an action. It holds the changed fields as JSON objects, so
// that any field of a state can be in it.
func actionRow(run string, a memory.Action) map[string]any {
	before, after := map[string]any{}, map[string]any{}
	switch {
	case a.Row != nil && a.Kind == memory.ActionRemove:
		before = asObject(a.Row)
	case a.Row != nil:
		after = asObject(a.Row)
	default:
		names := a.After.Changed(a.Before)
		before, after = a.Before.Only(names), a.After.Only(names)
	}
	return map[string]any{
		"id": recordID("maintenance_action", a.ID), "run": recordID("maintenance_run", run),
		"memory": recordID("memory", a.Memory), "kind": a.Kind, "reason": a.Reason, "before": before, "after": after,
	}
}

// asObject converts a value to a JSON object.
func asObject(value any) map[string]any {
	object := map[string]any{}
	data, _ := json.Marshal(value) // states and rows hold nothing that JSON cannot
	_ = json.Unmarshal(data, &object)
	return object
}

func only(object map[string]any, names []string) map[string]any {
	for name := range object {
		if !slices.Contains(names, name) {
			delete(object, name)
		}
	}
	return object
}

type actionRecord struct {
	ID     string         `json:"id"`
	Memory string         `json:"memory"`
	Kind   string         `json:"kind"`
	Reason string         `json:"reason"`
	Before map[string]any `json:"before"`
	After  map[string]any `json:"after"`
}

func (r actionRecord) action() (memory.Action, error) {
	a := memory.Action{ID: r.ID, Memory: r.Memory, Kind: r.Kind, Reason: r.Reason}
	if whole, removed := r.Before["memory"].(map[string]any); removed && whole != nil {
		return a, fromObject(r.Before, &a.Row)
	}
	if whole, created := r.After["memory"].(map[string]any); created && whole != nil {
		return a, fromObject(r.After, &a.Row)
	}
	return a, errors.Join(fromObject(r.Before, &a.Before), fromObject(r.After, &a.After))
}

func fromObject(object map[string]any, into any) error {
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
