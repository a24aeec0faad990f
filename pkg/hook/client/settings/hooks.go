package settings

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Hook is one hook in Codex's configuration.
type Hook struct {
	Event   string
	Matcher string // pattern of tool names; empty for all tools
	Command string
	Timeout int // seconds
}

const hooksKey = "hooks"

// Hooks edits a file of hooks in Claude Code's format: "hooks" maps an event to groups, each a matcher with the
// commands to run.
type Hooks struct {
	Wanted []Hook
	IsOurs func(command string) bool
}

// Add returns content with the wanted hooks behind the hooks of others. They replace earlier versions of ours.
func (f Hooks) Add(content []byte) ([]byte, error) {
	if has, err := f.Has(content); err != nil || has {
		return content, err
	}
	root, events, _, err := f.split(content)
	if err != nil {
		return nil, err
	}
	for _, h := range f.Wanted {
		groups, err := groupsOf(h.Event, events.Get(h.Event))
		if err != nil {
			return nil, err
		}
		events = events.With(h.Event, Raw(append(groups, h.group())))
	}
	return root.With(hooksKey, events.Raw()).Indented()
}

// group returns a group with only this hook.
func (h Hook) group() json.RawMessage {
	one := Object{{"type", Raw("command")}, {"command", Raw(h.Command)}, {"timeout", Raw(h.Timeout)}}
	var group Object
	if h.Matcher != "" {
		group = Object{{"matcher", Raw(h.Matcher)}}
	}
	return group.With(hooksKey, Raw([]json.RawMessage{one.Raw()})).Raw()
}

// Remove returns content without our hooks, and without groups and events that become empty; nothing if that is all.
func (f Hooks) Remove(content []byte) ([]byte, error) {
	root, events, found, err := f.split(content)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return content, nil
	case len(events) > 0:
		return root.With(hooksKey, events.Raw()).Indented()
	}
	if root = root.Without(hooksKey); len(root) == 0 { // the file had only our hooks
		return nil, nil
	}
	return root.Indented()
}

// Placed is a hook of ours in a file, with the index of its group in the event and its own index in the group.
type Placed struct {
	Hook
	Group, Number int
}

// Found returns our hooks, in the order of the file.
func (f Hooks) Found(content []byte) ([]Placed, error) {
	_, _, found, err := f.split(content)
	return found, err
}

// Has reports whether content has exactly the wanted hooks of ours.
func (f Hooks) Has(content []byte) (bool, error) {
	found, err := f.Found(content)
	isMissing := func(h Hook) bool {
		return !slices.ContainsFunc(found, func(one Placed) bool { return one.Hook == h })
	}
	return err == nil && len(found) == len(f.Wanted) && !slices.ContainsFunc(f.Wanted, isMissing), err
}

// group is a set of hooks with one matcher.
type group struct {
	Matcher string            `json:"matcher"`
	Hooks   []json.RawMessage `json:"hooks"`
}

// split separates our hooks from a file. root and events are the file and its events without our hooks, and without
// groups and events that become empty.
func (f Hooks) split(content []byte) (root, events Object, found []Placed, err error) {
	if root, events, err = parseIn(content, hooksKey); err != nil {
		return nil, nil, nil, err
	}
	for _, event := range slices.Clone(events) {
		groups, err := groupsOf(event.Key, event.Value)
		if err != nil {
			return nil, nil, nil, err
		}
		var left []json.RawMessage
		before := len(found)
		for i, raw := range groups {
			remaining, ours, err := f.splitGroup(raw)
			if err != nil {
				return nil, nil, nil, fmt.Errorf("%s: %w", event.Key, err)
			}
			for _, one := range ours {
				one.Event, one.Group = event.Key, i
				found = append(found, one)
			}
			if remaining != nil {
				left = append(left, remaining)
			}
		}
		switch {
		case len(found) == before:
		case len(left) == 0:
			events = events.Without(event.Key)
		default:
			events = events.With(event.Key, Raw(left))
		}
	}
	return root, events, found, nil
}

// splitGroup separates our hooks from a group. remaining is nil if the group has no other hooks.
func (f Hooks) splitGroup(raw json.RawMessage) (remaining json.RawMessage, ours []Placed, err error) {
	var g group
	if err := json.Unmarshal(raw, &g); err != nil {
		return nil, nil, fmt.Errorf("a group of hooks has an unknown form: %w", err)
	}
	var left []json.RawMessage
	for n, one := range g.Hooks {
		var h Hook
		_ = json.Unmarshal(one, &h) // a hook of another form has no command, so it is not ours
		if !f.IsOurs(h.Command) {
			left = append(left, one)
			continue
		}
		h.Matcher = g.Matcher
		ours = append(ours, Placed{Hook: h, Number: n})
	}
	switch {
	case len(ours) == 0:
		return raw, nil, nil
	case len(left) == 0:
		return nil, ours, nil
	}
	one, err := ParseObject(raw)
	return one.With(hooksKey, Raw(left)).Raw(), ours, err
}

func groupsOf(event string, value json.RawMessage) (groups []json.RawMessage, err error) {
	if value == nil {
		return nil, nil
	}
	if err := json.Unmarshal(value, &groups); err != nil {
		return nil, fmt.Errorf("the hooks of %s have an unknown form: %w", event, err)
	}
	return groups, nil
}
