package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// hook is one hook in Codex's configuration.
type hook struct {
	Event   string
	Matcher string // pattern of tool names; empty for all tools
	Command string
	Timeout int // seconds
}

const hooksKey = "hooks"

// hooks edits a file of hooks in Claude Code's format: "hooks" maps an event to groups, each a matcher with the
// commands to run. In a file that it changes, it puts the names in alphabetical order.
type hooks struct {
	wanted []hook
	isOurs func(command string) bool
}

// Add returns content with the wanted hooks behind the hooks of others. They replace earlier versions of ours.
func (f hooks) Add(content []byte) ([]byte, error) {
	if has, err := f.Has(content); err != nil || has {
		return content, err
	}
	root, events, _, err := f.split(content)
	if err != nil {
		return nil, err
	}
	for _, h := range f.wanted {
		group := map[string]any{hooksKey: []any{map[string]any{"type": "command", "command": h.Command, "timeout": h.Timeout}}}
		if h.Matcher != "" {
			group["matcher"] = h.Matcher
		}
		events[h.Event] = append(events[h.Event], group)
	}
	root[hooksKey] = events
	return indented(root), nil
}

// Remove returns content without our hooks, and without groups and events that become empty. It returns nil if nothing else is left.
func (f hooks) Remove(content []byte) ([]byte, error) {
	root, events, found, err := f.split(content)
	if err != nil || len(found) == 0 {
		return content, err
	}
	if root[hooksKey] = events; len(events) == 0 {
		delete(root, hooksKey)
	}
	if len(root) == 0 { // the file had only our hooks
		return nil, nil
	}
	return indented(root), nil
}

// Has reports whether content has all the wanted hooks, and no others of ours.
func (f hooks) Has(content []byte) (bool, error) {
	_, _, found, err := f.split(content)
	isMissing := func(h hook) bool { return !slices.Contains(found, h) }
	return err == nil && len(found) == len(f.wanted) && !slices.ContainsFunc(f.wanted, isMissing), err
}

// split separates our hooks from a file. root is the file, and events are the groups of each event without our hooks,
// and without groups and events that become empty.
func (f hooks) split(content []byte) (root map[string]any, events map[string][]any, found []hook, err error) {
	if root, err = parsed(content); err != nil {
		return nil, nil, nil, err
	}
	all, isObject := root[hooksKey].(map[string]any)
	if root[hooksKey] != nil && !isObject {
		return nil, nil, nil, fmt.Errorf("its %q have an unknown form", hooksKey)
	}
	events = map[string][]any{}
	for _, event := range slices.Sorted(maps.Keys(all)) {
		groups, isList := all[event].([]any)
		if !isList {
			return nil, nil, nil, fmt.Errorf("the hooks of %s have an unknown form", event)
		}
		left := []any{}
		for _, group := range groups {
			others, ours, err := f.splitGroup(group)
			if err != nil {
				return nil, nil, nil, fmt.Errorf("%s: %w", event, err)
			}
			for _, one := range ours {
				one.Event = event
				found = append(found, one)
			}
			if others != nil {
				left = append(left, others)
			}
		}
		if len(left) > 0 || len(groups) == 0 {
			events[event] = left
		}
	}
	return root, events, found, nil
}

// splitGroup separates our hooks from a group. others is nil if the group has only ours.
func (f hooks) splitGroup(value any) (others any, ours []hook, err error) {
	group, isObject := value.(map[string]any)
	all, isList := group[hooksKey].([]any)
	if !isObject || group[hooksKey] != nil && !isList {
		return nil, nil, errors.New("a group of hooks has an unknown form")
	}
	matcher, _ := group["matcher"].(string)
	left := []any{}
	for _, value := range all {
		one, _ := value.(map[string]any) // a hook of another form has no command, so it is not ours
		command, _ := one["command"].(string)
		if !f.isOurs(command) {
			left = append(left, value)
			continue
		}
		timeout, _ := one["timeout"].(json.Number)
		seconds, _ := timeout.Int64()
		ours = append(ours, hook{Matcher: matcher, Command: command, Timeout: int(seconds)})
	}
	switch {
	case len(ours) == 0:
		return group, nil, nil
	case len(left) == 0:
		return nil, ours, nil
	}
	group[hooksKey] = left
	return group, ours, nil
}

// parsed returns a JSON object; empty content gives an empty one. It fails on comments, and on another value.
func parsed(content []byte) (map[string]any, error) {
	root := map[string]any{}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if len(bytes.TrimSpace(content)) == 0 {
		return root, nil
	}
	if !json.Valid(content) {
		return nil, errors.New("it is not valid JSON (comments are not allowed)")
	}
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	if err := d.Decode(&root); err != nil || root == nil {
		return nil, errors.New("it is not a JSON object")
	}
	return root, nil
}

// indented encodes an object, which cannot fail, as indented JSON with a final newline.
func indented(root map[string]any) []byte {
	var text bytes.Buffer
	_ = json.Indent(&text, raw(root), "", "  ")
	text.WriteByte('\n')
	return text.Bytes()
}

// raw encodes a value that consists of texts, numbers, lists and maps, which cannot fail. It does not escape < and &.
func raw(value any) json.RawMessage {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(value)
	return bytes.TrimSpace(text.Bytes())
}
