// Command newhook writes the skeleton of a hook: its source file, its program, its registration, and its rows in
// tests and documents.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] == "--help" {
		fmt.Fprintln(os.Stderr,
			"Usage: scripts/new-hook EVENT\n\nEVENT is the client's name of it, such as ConfigChange. It writes what every hook has and prints the files.")
		os.Exit(2)
	}
	files, err := write(".", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "new-hook:", err)
		os.Exit(1)
	}
	fmt.Println(strings.Join(files, "\n"))
}

// eventName matches the client's form of an event's name.
var eventName = regexp.MustCompile(`^([A-Z][a-z]+)+$`)

// hook has the names of an event in the different parts of a hook.
type hook struct {
	Event   string // ConfigChange
	Program string // config-change
	File    string // configchange
	Key     string // config_change
}

func named(event string) (hook, error) {
	if !eventName.MatchString(event) {
		return hook{}, fmt.Errorf("%q is no name of an event: write it as the client does, such as ConfigChange", event)
	}
	words := strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(event, "$1-$2"))
	return hook{event, words, strings.ReplaceAll(words, "-", ""), strings.ReplaceAll(words, "-", "_")}, nil
}

// write writes the skeleton into a source tree, and returns the files that it created or changed. It changes nothing
// if one of the files does not have the expected form.
func write(root, event string) ([]string, error) {
	h, err := named(event)
	if err != nil {
		return nil, err
	}
	file, program := filepath.Join("pkg", "hook", "hooks", h.File+".go"), filepath.Join("apps", "hooks", h.Program, "main.go")
	if _, err := os.Stat(filepath.Join(root, file)); !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s is there already", file)
	}
	changed := map[string]string{file: h.source(hookText), program: h.source(programText)}
	order := []string{file, program}
	for _, i := range insertions {
		text, read := changed[i.file]
		if !read {
			data, err := os.ReadFile(filepath.Join(root, i.file))
			if err != nil {
				return nil, err
			}
			text = string(data)
			order = append(order, i.file)
		}
		line := h.source(i.line)
		if strings.Contains(text, strings.TrimSpace(line)) { // known already, such as the name of an event
			continue
		}
		if strings.Count(text, i.before) != 1 {
			return nil, fmt.Errorf("%s has not one place for the hook: the text %q is not there once; bring scripts/newhook up to date", i.file, i.before)
		}
		changed[i.file] = strings.Replace(text, i.before, line+i.before, 1)
	}
	for _, file := range order {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o755); err != nil { // a directory of sources
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(root, file), []byte(changed[file]), 0o644); err != nil { // sources
			return nil, err
		}
	}
	return order, nil
}

// source replaces the placeholders in a text by the hook's names.
func (h hook) source(text string) string {
	return strings.NewReplacer("{Event}", h.Event, "{program}", h.Program, "{key}", h.Key, "{KEY}",
		strings.ToUpper(h.Key)).Replace(text)
}

const hookText = `package hooks

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// {Event} records that it happened.
var {Event} = hook.Hook{
	Event: hookio.{Event},
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		return hookio.Output{}, report(ctx, call, memory.EventNotified, "{key}", "{key}")
	},
}
`

const programText = `// Command {program} runs the hook of the event {Event}.
package main

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"

func main() { hooks.Main(hooks.{Event}) }
`

// insertion puts line in front of the text before, which the file must have once.
type insertion struct{ file, before, line string }

var insertions = []insertion{
	{"pkg/hook/hookio/input.go", "	SessionStart       = ", "	{Event} = \"{Event}\"\n"},
	{"docs/hooks.md", "| SessionEnd |", "| {Event} | | counts it | nothing | | `hooks.deadline` 150ms |\n"},
	{
		"plugin/hooks/hooks.json", "    \"SessionEnd\": [\n",
		"    \"{Event}\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"${CLAUDE_PLUGIN_ROOT}/hooks/hook\", \"args\": [\"{program}\"], \"timeout\": 5 }] }\n    ],\n",
	},
	{"pkg/hook/hooks/world_test.go", "	hooks.SessionEnd,\n", "	hooks.{Event},\n"},
	{
		"pkg/hook/hooks/programs_test.go", "	{\"notification\", hookio.Notification,",
		"	{\"{program}\", hookio.{Event}, `{\"session_id\":\"s-1\",\"cwd\":\"/home/dev/project\",\"hook_event_name\":\"{Event}\"}`, `{\"session_id\":\"s-1\"`},\n",
	},
}
