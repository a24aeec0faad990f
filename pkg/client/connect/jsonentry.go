package connect

import (
	"encoding/json"
	"fmt"
)

// jsonEntry is a member of an object in a JSON file: our MCP server among the servers.
type jsonEntry struct {
	in     string // the name of the object
	name   string
	value  json.RawMessage
	isOurs func(value json.RawMessage) bool // of whatever version
}

// add puts the entry in. An equal one stays; one of somebody else's is an error.
func (e jsonEntry) add(content []byte) ([]byte, error) {
	root, entries, err := e.parse(content)
	if err != nil {
		return nil, err
	}
	old := entries.get(e.name)
	switch {
	case old != nil && !e.isOurs(old):
		return nil, fmt.Errorf("it has %s in %q already that is not ours: rename that one", e.name, e.in)
	case old != nil && isSame(old, e.value):
		return content, nil
	}
	return root.with(e.in, entries.with(e.name, e.value).raw()).page()
}

func (e jsonEntry) remove(content []byte) ([]byte, error) {
	root, entries, err := e.parse(content)
	if err != nil {
		return nil, err
	}
	if old := entries.get(e.name); old == nil || !e.isOurs(old) {
		return content, nil
	}
	if left := entries.without(e.name); len(left) > 0 {
		return root.with(e.in, left.raw()).page()
	}
	return root.without(e.in).page()
}

func (e jsonEntry) has(content []byte) (bool, error) {
	_, entries, err := e.parse(content)
	value := entries.get(e.name)
	return value != nil && e.isOurs(value), err
}

func (e jsonEntry) parse(content []byte) (root, entries object, err error) {
	if root, err = parseObject(content); err != nil {
		return nil, nil, err
	}
	if value := root.get(e.in); value != nil {
		if entries, err = parseObject(value); err != nil {
			return nil, nil, fmt.Errorf("%q is not understood: %w", e.in, err)
		}
	}
	return root, entries, nil
}

// isSame compares two values without their white space.
func isSame(a, b json.RawMessage) bool { return string(compact(a)) == string(compact(b)) }

// stdioServer is our MCP server as most clients configure one.
func stdioServer(env Env) json.RawMessage {
	return object{{"command", rawOf(env.Paths.Launcher())}, {"args", rawOf([]string{"memory-mcp"})}}.raw()
}

func isOurServer(value json.RawMessage) bool {
	var server struct {
		Command string `json:"command"`
	}
	return json.Unmarshal(value, &server) == nil && isLauncher(server.Command)
}
