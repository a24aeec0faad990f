// Package registry knows which programs the plugin registers for which event, and has a
// recorded call of each. It reads plugin/hooks/hooks.json and the recordings as they are.
// It runs nothing.
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

// Program is one registered hook, ready to be started in exec form.
type Program struct {
	Event   string
	Matcher string // empty matches every call
	Command string
	Args    []string
}

// Name is the program's file name.
func (p Program) Name() string { return filepath.Base(p.Command) }

type file struct {
	Hooks map[string][]struct {
		Matcher string `json:"matcher"`
		Hooks   []struct {
			Type    string   `json:"type"`
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"hooks"`
	} `json:"hooks"`
}

// rootVariable is the variable that the client replaces by the plugin's directory.
const rootVariable = "${CLAUDE_PLUGIN_ROOT}"

// picker is the program that hooks.json starts with a hook's name. In an installed plugin it is a link
// to the program that serves all hooks, and costs no more than starting that one's own program.
const picker = rootVariable + "/hooks/hook"

// ErrForm says that a hook is not registered as a program with its arguments. The client
// hands such a one to a shell, whose time is not measured here.
var ErrForm = errors.New("not a command with args (exec form)")

// Parse reads the content of a hooks.json for a plugin in the directory root.
// The programs come ordered by event, and as registered within one.
func Parse(content []byte, root string) ([]Program, error) {
	var f file
	if err := json.Unmarshal(content, &f); err != nil {
		return nil, fmt.Errorf("parse hooks.json: %w", err)
	}
	var programs []Program
	for event, groups := range f.Hooks {
		for _, group := range groups {
			for _, h := range group.Hooks {
				if h.Type != "command" || h.Args == nil {
					return nil, fmt.Errorf("hooks.json: hook %q of %s: %w", h.Command, event, ErrForm)
				}
				p := Program{Event: event, Matcher: group.Matcher, Command: strings.ReplaceAll(h.Command, rootVariable, root)}
				if h.Command == picker && len(h.Args) == 1 {
					p.Command, h.Args = filepath.Join(root, "libexec", h.Args[0]), nil
				}
				for _, arg := range h.Args {
					p.Args = append(p.Args, strings.ReplaceAll(arg, rootVariable, root))
				}
				programs = append(programs, p)
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
	Tool    string // empty for events that are not about a tool
	Session string
	Content []byte
	// Unmatched says that the program's matcher rejects this call. Such a call is taken
	// where no recorded one reaches the program, which starts, reads it like any other,
	// and ends.
	Unmatched bool
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
		r, err := read(path)
		if err != nil {
			return nil, err
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

func read(path string) (Recording, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return Recording{}, fmt.Errorf("read a recording: %w", err)
	}
	var input struct {
		Tool    string `json:"tool_name"`
		Session string `json:"session_id"`
	}
	if err := json.Unmarshal(content, &input); err != nil {
		return Recording{}, fmt.Errorf("read the recording %s: %w", path, err)
	}
	return Recording{Tool: input.Tool, Session: input.Session, Content: content}, nil
}

// stem sorts a plain recording before its variants.
func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), ".json") }
