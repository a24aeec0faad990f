package settings

import (
	"encoding/json"
	"fmt"
)

// Entry is a member of an object in a JSON file: our MCP server among the servers.
type Entry struct {
	In     string // the name of the object
	Name   string
	Value  json.RawMessage
	IsOurs func(command string) bool // of whatever version
}

// Add puts the entry in. An equal one stays; one of somebody else's is an error.
func (e Entry) Add(content []byte) ([]byte, error) {
	root, entries, err := parseIn(content, e.In)
	if err != nil {
		return nil, err
	}
	old := entries.Get(e.Name)
	switch {
	case old != nil && !e.isOurs(old):
		return nil, fmt.Errorf("it has %s in %q already that is not ours: rename that one", e.Name, e.In)
	case old != nil && isSame(old, e.Value):
		return content, nil
	}
	return root.With(e.In, entries.With(e.Name, e.Value).Raw()).Page()
}

// Remove takes the entry out, if it is ours.
func (e Entry) Remove(content []byte) ([]byte, error) {
	root, entries, err := parseIn(content, e.In)
	if err != nil {
		return nil, err
	}
	if !e.isOurs(entries.Get(e.Name)) {
		return content, nil
	}
	if left := entries.Without(e.Name); len(left) > 0 {
		return root.With(e.In, left.Raw()).Page()
	}
	return root.Without(e.In).Page()
}

// Has implements Part.
func (e Entry) Has(content []byte) (bool, error) {
	_, entries, err := parseIn(content, e.In)
	return e.isOurs(entries.Get(e.Name)), err
}

func (e Entry) isOurs(value json.RawMessage) bool {
	var server struct {
		Command string `json:"command"`
	}
	return json.Unmarshal(value, &server) == nil && e.IsOurs(server.Command)
}
