// Package posttooluse keeps what tools did: files changed, the shell commands
// that install, build, test, deploy or migrate or that work after they failed,
// what subagents reported, and in a few words what other tools did.
package posttooluse

import (
	"context"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hook records what a tool did, if it did anything worth it.
var Hook = hook.Hook{
	Name:     "post-tool-use",
	Event:    hookio.PostToolUse,
	Deadline: func(h config.Hooks) time.Duration { return h.PostToolUse.Deadline },
	Run:      run,
}

// maxOutput is what is kept of a command's output, in bytes: its end, where the
// result stands.
const maxOutput = 2000

// maxText is what is kept of a changed text, in bytes: its beginning.
const maxText = 2000

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	event, err := Describe(call, func(command string) bool { return capture.WasFailing(call, command) })
	if err != nil || event.ID == "" {
		return hookio.Output{}, err
	}
	return hookio.Output{}, capture.Store(ctx, call, event)
}

// Describe makes the event of what a tool did; one without an id is not worth
// remembering. WasFailing tells whether a command had failed in this session and
// not succeeded since. The error is capture.ErrNoSession.
func Describe(call *hook.Call, wasFailing func(command string) bool) (memory.Event, error) {
	switch call.Input.ToolName {
	case "Write", "Edit", "NotebookEdit":
		return fileChanged(call)
	case "Bash":
		return commandSucceeded(call, wasFailing)
	case "Agent", "Task":
		return subagentReported(call)
	}
	if isSkipped(call.Input.ToolName) {
		return memory.Event{}, nil
	}
	return toolUsed(call)
}

func fileChanged(call *hook.Call) (memory.Event, error) {
	input := call.Input.ToolInput
	file := input.String("file_path")
	if call.Input.ToolName == "NotebookEdit" {
		file = input.String("notebook_path")
	}
	if file == "" {
		return memory.Event{}, nil
	}
	event, err := capture.New(call, memory.EventFileChanged)
	if err != nil {
		return memory.Event{}, err
	}
	event.Tool = call.Input.ToolName
	event.File = call.Project.Rel(file)
	content := input.String("content")
	switch call.Input.ToolName {
	case "Edit":
		content = input.String("new_string")
		event.Before = head(capture.Text(input.String("old_string")))
	case "NotebookEdit":
		content = input.String("new_source")
	}
	event.Lines = lines(content)
	event.Truncated = event.Truncated || input.Get("content").Cut || input.Get("old_string").Cut || input.Get("new_string").Cut
	event.After = head(capture.Text(content))
	return event, nil
}

// commandSucceeded is empty for a command that is not worth remembering, or
// whose outcome is not known yet.
func commandSucceeded(call *hook.Call, wasFailing func(string) bool) (memory.Event, error) {
	command := call.Input.ToolInput.String("command")
	purpose := capture.Purpose(command)
	inBackground := call.Input.ToolInput.Bool("run_in_background") || call.Input.ToolResponse.String("backgroundTaskId") != ""
	if inBackground || call.Input.ToolResponse.Bool("interrupted") {
		return memory.Event{}, nil
	}
	if !wasFailing(command) && purpose == "" {
		return memory.Event{}, nil
	}
	event, err := capture.New(call, memory.EventCommandSucceeded)
	if err != nil {
		return memory.Event{}, err
	}
	event.Tool = call.Input.ToolName
	event.Command = capture.Text(command)
	event.Purpose = purpose
	event.Output = capture.Tail(capture.Text(call.Input.ToolResponse.String("stdout")), maxOutput) // a cut could part a secret from its name
	return event, nil
}

// subagentReported keeps what a subagent in the foreground came back with; one in
// the background reports when it stops.
func subagentReported(call *hook.Call) (memory.Event, error) {
	response := call.Input.ToolResponse
	if response.String("status") != "completed" {
		return memory.Event{}, nil
	}
	var report []string
	for _, block := range response.List("content") {
		if text := block.String("text"); !isClientsNote(text) {
			report = append(report, text)
		}
	}
	return capture.SubagentReported(call, response.String("agentType"), response.String("prompt"), strings.Join(report, "\n"))
}

// isClientsNote tells the block in which the client lists the tools that a
// subagent used; the report that SubagentStop sees does not have it.
func isClientsNote(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "<tools-used-before-summary>") && strings.HasSuffix(text, "</tools-used-before-summary>")
}

// isSkipped tells the tools that do nothing to the project, and our own: what is
// recalled must not be captured again.
func isSkipped(tool string) bool {
	switch tool {
	case "", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "AskUserQuestion", "Skill", "SlashCommand",
		"ToolSearch", "ListMcpResourcesTool":
		return true
	}
	return strings.HasPrefix(tool, "mcp__plugin_surrealdb-memory_")
}

// The most that is kept of another tool's input and answer, in bytes.
const (
	maxToolInput  = 200
	maxToolAnswer = 500
)

func toolUsed(call *hook.Call) (memory.Event, error) {
	event, err := capture.New(call, memory.EventToolUsed)
	if err != nil {
		return memory.Event{}, err
	}
	event.Tool = call.Input.ToolName
	event.Text = memory.Cut(capture.Text(gist(call.Input.ToolInput)), maxToolInput)
	event.Output = memory.Cut(capture.Text(gist(call.Input.ToolResponse)), maxToolAnswer)
	return event, nil
}

// gist is a value as one would say it: a text as it is, of a list its texts, and
// of an object the parts that are short.
func gist(v hookio.Value) string {
	switch v.Kind {
	case hookio.String:
		return v.Text
	case hookio.Array:
		var texts []string
		for _, item := range v.Items {
			texts = append(texts, gist(item))
		}
		return strings.Join(texts, " ")
	case hookio.Object:
		if text := v.String("text"); text != "" { // a content block
			return text
		}
		var parts []string
		for _, field := range v.Fields {
			if text := field.Value.Text; field.Value.Kind == hookio.String && text != "" && len(text) <= maxToolInput {
				parts = append(parts, field.Name+": "+text) // a secret is recognised by its name and the colon
			}
		}
		return strings.Join(parts, ", ")
	default:
		return ""
	}
}

func lines(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
}

func head(text string) string { return memory.Cut(text, maxText) }
