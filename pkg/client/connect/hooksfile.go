package connect

import (
	"encoding/json"
	"fmt"
	"slices"
)

// registration is one of our hooks in a client's configuration.
type registration struct {
	event   string
	matcher string // of the tools; empty for all
	command string
	timeout int // in the client's unit
}

// handler is the entry of a hook, with the fields that we read.
type handler struct {
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

// group is some hooks for the same tools.
type group struct {
	Matcher string            `json:"matcher"`
	Hooks   []json.RawMessage `json:"hooks"`
}

const (
	hooksKey   = "hooks"
	versionKey = "version"
)

// hooksFile is a file of hooks in the shape that Claude Code has: "hooks" has for each event groups,
// each with a matcher and the commands to run.
type hooksFile struct {
	wanted []registration
	isOurs func(command string) bool
	// version is that of a file without groups: "hooks" has for each event the commands, each with its matcher. 0 is a
	// file with groups, which has none.
	version int
}

// add registers the wanted hooks behind those that are there.
func (f hooksFile) add(content []byte) ([]byte, error) {
	if has, err := f.has(content); err != nil || has {
		return content, err
	}
	content, err := f.remove(content)
	if err != nil {
		return nil, err
	}
	root, events, err := f.parse(content)
	if err != nil {
		return nil, err
	}
	for _, r := range f.wanted {
		groups, err := groupsOf(r.event, events.get(r.event))
		if err != nil {
			return nil, err
		}
		events = events.with(r.event, rawOf(append(groups, r.entry(f.version > 0))))
	}
	if f.version > 0 && root.get(versionKey) == nil {
		root = append(object{{versionKey, rawOf(f.version)}}, root...)
	}
	return root.with(hooksKey, events.raw()).page()
}

// entry is the hook as it stands among those of its event: in a group, or by itself.
func (r registration) entry(alone bool) json.RawMessage {
	var one object
	if r.matcher != "" {
		one = one.with("matcher", rawOf(r.matcher))
	}
	if alone {
		return append(object{{"command", rawOf(r.command)}, {"timeout", rawOf(r.timeout)}}, one...).raw()
	}
	h := object{{"type", rawOf("command")}, {"command", rawOf(r.command)}, {"timeout", rawOf(r.timeout)}}
	return one.with("hooks", rawOf([]json.RawMessage{h.raw()})).raw()
}

// remove takes our hooks out, with groups and events that are empty without them.
func (f hooksFile) remove(content []byte) ([]byte, error) {
	root, events, err := f.parse(content)
	if err != nil {
		return nil, err
	}
	changed := false
	for _, event := range slices.Clone(events) {
		groups, err := groupsOf(event.key, event.value)
		if err != nil {
			return nil, err
		}
		var left []json.RawMessage
		for _, raw := range groups {
			if raw, err = f.withoutOurs(raw); err != nil {
				return nil, fmt.Errorf("%s: %w", event.key, err)
			}
			if raw != nil {
				left = append(left, raw)
			}
		}
		switch {
		case slices.EqualFunc(left, groups, func(a, b json.RawMessage) bool { return string(a) == string(b) }):
			continue
		case len(left) == 0:
			events = events.without(event.key)
		default:
			events = events.with(event.key, rawOf(left))
		}
		changed = true
	}
	if !changed {
		return content, nil
	}
	if len(events) == 0 {
		root = root.without(hooksKey)
		if len(root) == 1 && root[0].key == versionKey { // nothing but ours was there
			return nil, nil
		}
		return root.page()
	}
	return root.with(hooksKey, events.raw()).page()
}

// withoutOurs is a group without our hooks; nil if there were no others.
func (f hooksFile) withoutOurs(raw json.RawMessage) (json.RawMessage, error) {
	g, err := f.group(raw)
	if err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(slices.Clone(g.Hooks), func(h json.RawMessage) bool { return f.isOurs(commandOf(h).Command) })
	switch {
	case len(left) == len(g.Hooks):
		return raw, nil
	case len(left) == 0:
		return nil, nil
	}
	one, err := parseObject(raw)
	if err != nil {
		return nil, err
	}
	return one.with("hooks", rawOf(left)).raw(), nil
}

// placed is one of our hooks as it was found: for an event, the number of its group and its own.
type placed struct {
	registration
	group, handler int
}

// found are our hooks, in the order of the file.
func (f hooksFile) found(content []byte) ([]placed, error) {
	_, events, err := f.parse(content)
	if err != nil {
		return nil, err
	}
	var all []placed
	for _, event := range events {
		groups, err := groupsOf(event.key, event.value)
		if err != nil {
			return nil, err
		}
		for i, raw := range groups {
			g, err := f.group(raw)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", event.key, err)
			}
			for n, one := range g.Hooks {
				if h := commandOf(one); f.isOurs(h.Command) {
					all = append(all, placed{registration{event.key, g.Matcher, h.Command, h.Timeout}, i, n})
				}
			}
		}
	}
	return all, nil
}

// group reads a group; in a file without them each hook is one of its own.
func (f hooksFile) group(raw json.RawMessage) (g group, err error) {
	if err := json.Unmarshal(raw, &g); err != nil {
		return g, fmt.Errorf("a group of hooks is not understood: %w", err)
	}
	if f.version > 0 {
		g.Hooks = []json.RawMessage{raw}
	}
	return g, nil
}

func (f hooksFile) has(content []byte) (bool, error) {
	found, err := f.found(content)
	if err != nil || !f.isComplete(found) || f.version == 0 {
		return err == nil && f.isComplete(found), err
	}
	root, _, err := f.parse(content)
	return root.get(versionKey) != nil, err
}

// isComplete says whether the found hooks are the wanted ones, no more and no less.
func (f hooksFile) isComplete(found []placed) bool {
	missing := slices.Clone(f.wanted)
	for _, one := range found {
		at := slices.Index(missing, one.registration)
		if at < 0 {
			return false
		}
		missing = slices.Delete(missing, at, at+1)
	}
	return len(missing) == 0
}

func (f hooksFile) parse(content []byte) (root, events object, err error) {
	if root, err = parseObject(content); err != nil {
		return nil, nil, err
	}
	if value := root.get(versionKey); value != nil && f.version > 0 && !isSame(value, rawOf(f.version)) {
		return nil, nil, fmt.Errorf("its version is %s, and %d alone is known", value, f.version)
	}
	if value := root.get(hooksKey); value != nil {
		if events, err = parseObject(value); err != nil {
			return nil, nil, fmt.Errorf("%q is not understood: %w", hooksKey, err)
		}
	}
	return root, events, nil
}

func groupsOf(event string, value json.RawMessage) ([]json.RawMessage, error) {
	if value == nil {
		return nil, nil
	}
	var groups []json.RawMessage
	if err := json.Unmarshal(value, &groups); err != nil {
		return nil, fmt.Errorf("the hooks of %s are not understood: %w", event, err)
	}
	return groups, nil
}

func commandOf(raw json.RawMessage) (h handler) {
	_ = json.Unmarshal(raw, &h) // of another shape is none of ours
	return h
}
