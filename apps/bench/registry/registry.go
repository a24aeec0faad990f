// Package registry reads the programs that plugin/hooks/hooks.json registers for each event, and finds a recorded
// call of each. It runs nothing.
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

// Name returns the file name of the program.
func (p Program) Name() string { return filepath.Base(p.Command) }

// picker is the program that hooks.json starts with a hook's name as its argument. In an installed plugin it is a
// link to the program that serves all hooks, so it takes no longer than a program of its own.
const picker = "${CLAUDE_PLUGIN_ROOT}/hooks/hook"

// ErrForm is returned if hooks.json does not register the picker with a hook's name. The client would run such a
// command in a shell, whose time is not measured here.
var ErrForm = errors.New("the command does not call hooks/hook with the name of a hook")

// Parse parses a hooks.json for a plugin in the directory root. It returns the programs ordered by event, and as
// registered within an event.
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
	Tool    string `json:"tool_name"` // empty for events without a tool
	Session string `json:"session_id"`
	Content []byte `json:"-"`
	// Unmatched is set if the program's matcher rejects the call. Such a call is used only if no recorded call
	// reaches the program; the program starts, reads it and ends.
	Unmatched bool `json:"-"`
}

// Recordings returns the recorded calls in a directory that reach a program. For an event about tools it returns
// the plain recording of each tool that the matcher names, for other events the plain recording or the first
// variant. If none reaches the program it returns the event's first recording.
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

// stem returns a file name without its ending, which sorts a plain recording before its variants.
func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), ".json") }
