// Package registry reads from plugin/hooks/hooks.json which programs the plugin registers
// for which event, and has a recorded call of each. It runs nothing.
package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Program is one registered hook.
type Program struct {
	Event   string
	Matcher string // empty matches every call
	Command string
}

// Name is the program's file name.
func (p Program) Name() string { return filepath.Base(p.Command) }

// picker is the program that hooks.json starts with a hook's name. In an installed plugin it is a link
// to the program that serves all hooks, and costs no more than starting that one's own program.
const picker = "${CLAUDE_PLUGIN_ROOT}/hooks/hook"

// ErrForm: a hook is not registered with the picker and its name. The client would run a
// command without arguments in a shell, whose time is not measured here.
var ErrForm = errors.New("not the plugin's picker with the hook's name")

// Parse reads the content of a hooks.json for a plugin in the directory root.
// The programs come ordered by event, and as registered within one.
func Parse(content []byte, root string) ([]Program, error) {
	var file struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct {
				Type, Command string
				Args          []string
			}
		}
	}
	if err := json.Unmarshal(content, &file); err != nil {
		return nil, fmt.Errorf("parse hooks.json: %w", err)
	}
	var programs []Program
	for event, groups := range file.Hooks {
		for _, group := range groups {
			for _, h := range group.Hooks {
				if h.Type != "command" || h.Command != picker || len(h.Args) != 1 {
					return nil, fmt.Errorf("hooks.json: hook %q of %s: %w", h.Command, event, ErrForm)
				}
				programs = append(programs, Program{event, group.Matcher, filepath.Join(root, "libexec", h.Args[0])})
			}
		}
	}
	if len(programs) == 0 {
		return nil, errors.New("hooks.json registers no program")
	}
	slices.SortStableFunc(programs, func(a, b Program) int { return strings.Compare(a.Event, b.Event) })
	return programs, nil
}

// Recording is the standard input of one real call.
type Recording struct {
	Tool    string `json:"tool_name"` // empty for events that are not about a tool
	Session string `json:"session_id"`
	Content []byte `json:"-"`
	// Unmatched: the program's matcher rejects this call. Such a call is used if no recorded
	// one reaches the program, which starts, reads it like any other, and
	// ends.
	Unmatched bool `json:"-"`
}

// Recordings finds in a directory the recorded calls that reach a program: for
// an event about tools the plain one of each tool that the matcher names, for
// any other the plain one of the event, or the first of its variants. Where none
// reaches it, the event's first recording is the only one.
func Recordings(dir string, p Program) ([]Recording, error) {
	paths, err := filepath.Glob(filepath.Join(dir, p.Event+"*.json"))
	if err != nil {
		return nil, fmt.Errorf("find recordings of %s: %w", p.Event, err)
	}
	slices.SortFunc(paths, func(a, b string) int { return strings.Compare(stem(a), stem(b)) })
	matcher, err := regexp.Compile("^(?:" + p.Matcher + ")$")
	if err != nil {
		return nil, fmt.Errorf("matcher of %s: %w", p.Event, err)
	}
	var found, unmatched []Recording
	seen := map[string]bool{}
	for _, path := range paths {
		if event, _, _ := strings.Cut(stem(path), "-"); event != p.Event {
			continue
		}
		var r Recording
		if r.Content, err = os.ReadFile(path); err == nil {
			err = json.Unmarshal(r.Content, &r)
		}
		if err != nil {
			return nil, fmt.Errorf("read the recording %s: %w", path, err)
		}
		if seen[r.Tool] {
			continue
		}
		seen[r.Tool] = true
		if r.Unmatched = r.Tool != "" && p.Matcher != "" && !matcher.MatchString(r.Tool); r.Unmatched {
			unmatched = append(unmatched, r)
		} else {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		found = unmatched[:min(1, len(unmatched))]
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("there is no recording of %s in %s", p.Event, dir)
	}
	return found, nil
}

// stem sorts a plain recording before its variants.
func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), ".json") }
