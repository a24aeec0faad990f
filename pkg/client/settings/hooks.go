package settings

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Hook is one of our hooks in a client's configuration.
type Hook struct {
	Event   string
	Matcher string // of the tools; empty for all
	Command string
	Timeout int // in the client's unit
}

const (
	hooksKey   = "hooks"
	versionKey = "version"
)

// Hooks are those of a file in the shape that Claude Code has: "hooks" has for each event groups,
// each with a matcher and the commands to run.
type Hooks struct {
	Wanted []Hook
	IsOurs func(command string) bool
	// Version is that of a file without groups: "hooks" has for each event the commands, each with its matcher. 0 is a
	// file with groups, which has none.
	Version int
	IsTyped bool // even without groups, a hook has the type "command"
}

// Add registers the wanted hooks behind those that are there.
func (f Hooks) Add(content []byte) ([]byte, error) {
	if has, err := f.Has(content); err != nil || has {
		return content, err
	}
	root, events, _, err := f.walk(content, func(Placed) bool { return false })
	if err != nil {
		return nil, err
	}
	for _, h := range f.Wanted {
		groups, err := groupsOf(h.Event, events.Get(h.Event))
		if err != nil {
			return nil, err
		}
		events = events.With(h.Event, Raw(append(groups, f.entry(h))))
	}
	if f.Version > 0 && root.Get(versionKey) == nil {
		root = append(Object{{versionKey, Raw(f.Version)}}, root...)
	}
	return root.With(hooksKey, events.Raw()).Page()
}

// entry is the hook as it stands among those of its event: in a group, or by itself.
func (f Hooks) entry(h Hook) json.RawMessage {
	one := Object{{"type", Raw("command")}, {"command", Raw(h.Command)}, {"timeout", Raw(h.Timeout)}}
	var matcher Object
	if h.Matcher != "" {
		matcher = Object{{"matcher", Raw(h.Matcher)}}
	}
	switch {
	case f.IsTyped:
		return append(one, matcher...).Raw()
	case f.Version > 0:
		return append(one[1:], matcher...).Raw()
	}
	return matcher.With(hooksKey, Raw([]json.RawMessage{one.Raw()})).Raw()
}

// Remove takes our hooks out, with groups and events that are empty without them.
func (f Hooks) Remove(content []byte) ([]byte, error) {
	root, events, changed, err := f.walk(content, func(Placed) bool { return false })
	switch {
	case err != nil:
		return nil, err
	case !changed:
		return content, nil
	case len(events) > 0:
		return root.With(hooksKey, events.Raw()).Page()
	}
	root = root.Without(hooksKey)
	if len(root) == 1 && root[0].Key == versionKey { // nothing but ours was there
		return nil, nil
	}
	return root.Page()
}

// Placed is one of our hooks as it was found: for an event, the number of its group and its own.
type Placed struct {
	Hook
	Group, Number int
}

// Found are our hooks, in the order of the file.
func (f Hooks) Found(content []byte) (all []Placed, err error) {
	_, _, _, err = f.walk(content, func(one Placed) bool {
		all = append(all, one)
		return true
	})
	return all, err
}

// Has implements Part: our hooks are the wanted ones, no more and no less.
func (f Hooks) Has(content []byte) (bool, error) {
	found, err := f.Found(content)
	if err != nil {
		return false, err
	}
	missing := slices.Clone(f.Wanted)
	for _, one := range found {
		at := slices.Index(missing, one.Hook)
		if at < 0 {
			return false, nil
		}
		missing = slices.Delete(missing, at, at+1)
	}
	root, _, err := f.parse(content)
	return len(missing) == 0 && (f.Version == 0 || root.Get(versionKey) != nil), err
}

// group is some hooks for the same tools.
type group struct {
	Matcher string            `json:"matcher"`
	Hooks   []json.RawMessage `json:"hooks"`
}

// walk goes through our hooks, and leaves those that are to stay, and all that are others'. Groups and events that
// become empty go.
func (f Hooks) walk(content []byte, stays func(Placed) bool) (root, events Object, changed bool, err error) {
	if root, events, err = f.parse(content); err != nil {
		return nil, nil, false, err
	}
	for _, event := range slices.Clone(events) {
		groups, err := groupsOf(event.Key, event.Value)
		if err != nil {
			return nil, nil, false, err
		}
		var left []json.RawMessage
		differs := false
		for i, raw := range groups {
			remaining, err := f.remaining(raw, func(n int, h Hook) bool {
				h.Event = event.Key
				return stays(Placed{h, i, n})
			})
			if err != nil {
				return nil, nil, false, fmt.Errorf("%s: %w", event.Key, err)
			}
			if differs = differs || string(remaining) != string(raw); remaining != nil {
				left = append(left, remaining)
			}
		}
		switch {
		case !differs:
		case len(left) == 0:
			events, changed = events.Without(event.Key), true
		default:
			events, changed = events.With(event.Key, Raw(left)), true
		}
	}
	return root, events, changed, nil
}

// remaining is a group with the hooks that stay; nil if none does. In a file without groups each hook is one of its
// own.
func (f Hooks) remaining(raw json.RawMessage, stays func(n int, h Hook) bool) (json.RawMessage, error) {
	var g group
	if err := json.Unmarshal(raw, &g); err != nil {
		return nil, fmt.Errorf("a group of hooks is not understood: %w", err)
	}
	if f.Version > 0 {
		g.Hooks = []json.RawMessage{raw}
	}
	var left []json.RawMessage
	for n, one := range g.Hooks {
		var h Hook
		_ = json.Unmarshal(one, &h) // of another shape is none of ours
		h.Matcher = g.Matcher
		if !f.IsOurs(h.Command) || stays(n, h) {
			left = append(left, one)
		}
	}
	switch {
	case len(left) == len(g.Hooks):
		return raw, nil
	case len(left) == 0:
		return nil, nil
	}
	one, err := ParseObject(raw)
	return one.With(hooksKey, Raw(left)).Raw(), err
}

func (f Hooks) parse(content []byte) (root, events Object, err error) {
	if root, events, err = parseIn(content, hooksKey); err != nil {
		return nil, nil, err
	}
	if value := root.Get(versionKey); value != nil && f.Version > 0 && !isSame(value, Raw(f.Version)) {
		return nil, nil, fmt.Errorf("its version is %s, and %d alone is known", value, f.Version)
	}
	return root, events, nil
}

func groupsOf(event string, value json.RawMessage) (groups []json.RawMessage, err error) {
	if value == nil {
		return nil, nil
	}
	if err := json.Unmarshal(value, &groups); err != nil {
		return nil, fmt.Errorf("the hooks of %s are not understood: %w", event, err)
	}
	return groups, nil
}
