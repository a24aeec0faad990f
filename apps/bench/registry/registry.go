// Package registry knows which programs the plugin registers for which event,
// and what a recorded call of each looks like. It reads plugin/hooks/hooks.json
// and the recordings as they are. It refuses to run anything.
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

// rootVariable is what the client replaces by the plugin's directory.
const rootVariable = "${CLAUDE_PLUGIN_ROOT}"

// ErrForm says that a hook is not registered as a program with its arguments.
// The client hands such a one to a shell, which is not what is measured here.
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
	Content []byte
}

// Recordings finds in a directory the recorded calls that reach a program: for
// an event about tools the plain one of each tool that the matcher names, for
// any other the plain one of the event, or the first of its variants.
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
	var found []Recording
	seen := map[string]bool{}
	for _, path := range paths {
		if event, _, _ := strings.Cut(stem(path), "-"); event != p.Event {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read a recording of %s: %w", p.Event, err)
		}
		var input struct {
			Tool string `json:"tool_name"`
		}
		if err := json.Unmarshal(content, &input); err != nil {
			return nil, fmt.Errorf("recording %s: %w", path, err)
		}
		reaches := input.Tool == "" || p.Matcher == "" || matcher.MatchString(input.Tool)
		if reaches && !seen[input.Tool] {
			seen[input.Tool] = true
			found = append(found, Recording{Tool: input.Tool, Content: content})
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no recording in %s reaches %s (%s, matcher %q)", dir, p.Name(), p.Event, p.Matcher)
	}
	return found, nil
}

// stem sorts a plain recording before its variants.
func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), ".json") }
