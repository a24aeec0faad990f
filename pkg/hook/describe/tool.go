package describe

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// maxOutput is the number of bytes that a command's output is cut to. Its end is kept, because the result is there.
const maxOutput = 2000

// maxText is the number of bytes that a changed text is cut to.
const maxText = 2000

// The client's tools that read a file or ask the user.
const (
	readTool = "Read"
	askTool  = "AskUserQuestion"
	planTool = "ExitPlanMode"
)

// ToolUse returns the event of a tool call, without an ID if it is not worth storing. The user's answers have events of
// their own, see Answers. failing reports whether a command of this session has failed and not succeeded since; it also
// forgets the failure of the command that succeeded now.
func ToolUse(o Occurrence, failing func(succeeded string) bool) memory.Event {
	switch o.Input.ToolName {
	case "Write", "Edit", "NotebookEdit":
		return fileChanged(o)
	case "Bash":
		return commandRan(o, failing)
	case "Agent", "Task":
		return subagentReported(o)
	case planTool:
		return planAccepted(o)
	case readTool:
		return fileRead(o)
	}
	if isSkipped(o.Input.ToolName) {
		return memory.Event{}
	}
	return toolUsed(o)
}

func fileChanged(o Occurrence) memory.Event {
	input := o.Input.ToolInput
	file := fileOf(o)
	if file == "" {
		return memory.Event{}
	}
	event := New(o, memory.EventFileChanged)
	event.Tool, event.File = o.Input.ToolName, file
	content := input.String("content")
	switch o.Input.ToolName {
	case "Edit":
		content = input.String("new_string")
		event.Before = head(Text(input.String("old_string")))
	case "NotebookEdit":
		content = input.String("new_source")
	}
	event.Lines = lines(content)
	event.Truncated = event.Truncated || input.Get("content").Cut || input.Get("old_string").Cut || input.Get("new_string").Cut
	event.After = head(Text(content))
	return event
}

// fileOf returns the file of a call, relative to the project, or "" if there is none or it is a plan.
func fileOf(o Occurrence) string {
	file := cmp.Or(o.Input.ToolInput.String("file_path"), o.Input.ToolInput.String("notebook_path"))
	if file != "" {
		file = o.Project.Rel(file)
	}
	if isPlan(file) {
		return ""
	}
	return file
}

// isPlan reports whether a file, as Rel returns it, is a draft of a plan in the client's plans folder. A draft is not
// work on the project; an accepted plan has an event of its own.
func isPlan(file string) bool {
	isOutside := path.IsAbs(file) || len(file) > 1 && file[1] == ':'
	return isOutside && path.Base(path.Dir(file)) == "plans" && path.Ext(file) == ".md"
}

// fileRead keeps the file's name only: the content can be read again.
func fileRead(o Occurrence) memory.Event {
	file := fileOf(o)
	if file == "" {
		return memory.Event{}
	}
	event := New(o, memory.EventToolUsed)
	event.Tool, event.File = readTool, file
	return event
}

// commandRan returns an event without an ID for a command not worth keeping. While a command is failing, any other may be its fix.
func commandRan(o Occurrence, failing func(string) bool) memory.Event {
	command := o.Input.ToolInput.String("command")
	succeeded := command
	if o.Input.ToolInput.Bool("run_in_background") || o.Input.ToolResponse.String("backgroundTaskId") != "" || o.Input.ToolResponse.Bool("interrupted") {
		succeeded = "" // the outcome is unknown
	}
	if !failing(succeeded) || shell.IsReadOnly(command) {
		return memory.Event{}
	}
	if succeeded == "" {
		event := New(o, memory.EventToolUsed)
		event.Tool, event.Text = o.Input.ToolName, memory.Cut(Text(command), maxToolInput)
		return event
	}
	event := New(o, memory.EventCommandSucceeded)
	event.Tool, event.Command = o.Input.ToolName, Text(command)
	printed := strings.TrimSuffix(o.Input.ToolResponse.String("stdout")+"\n"+o.Input.ToolResponse.String("stderr"), "\n")
	event.Output = Tail(Text(printed), maxOutput) // redacted before the cut, which could separate a secret from its name
	return event
}

// subagentReported returns the report of a subagent in the foreground. A subagent in the background reports when it stops.
func subagentReported(o Occurrence) memory.Event {
	response := o.Input.ToolResponse
	if response.String("status") != "completed" {
		return memory.Event{}
	}
	var said []string
	for _, block := range response.List("content") {
		if text := block.String("text"); !isClientsNote(text) {
			said = append(said, text)
		}
	}
	agentType := cmp.Or(response.String("agentType"), o.Input.ToolInput.String("subagent_type")) // older clients do not repeat the type
	return SubagentReport(o, agentType, cmp.Or(response.String("prompt"), o.Input.ToolInput.String("prompt")),
		strings.Join(said, "\n"))
}

// planAccepted returns the event of a plan that the user accepted, without an ID for a subagent's plan.
func planAccepted(o Occurrence) memory.Event {
	response := o.Input.ToolResponse
	if response.Bool("isAgent") || response.Bool("awaitingLeaderApproval") {
		return memory.Event{}
	}
	return Report(o, memory.EventPlanAccepted, "", cmp.Or(response.String("plan"), o.Input.ToolInput.String("plan")))
}

// isClientsNote reports whether a text is the client's list of tools that a subagent used, which SubagentStop does not get.
func isClientsNote(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "<tools-used-before-summary>") && strings.HasSuffix(text, "</tools-used-before-summary>")
}

// isSkipped reports whether a tool changes nothing in the project, is recorded elsewhere (see Answers), or is ours:
// recalled memories must not be captured again.
func isSkipped(tool string) bool {
	switch tool {
	case "", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", askTool, "Skill", "SlashCommand",
		"Glob", "Grep", "LS",
		"ToolSearch", "ListMcpResourcesTool":
		return true
	}
	return strings.HasPrefix(tool, "mcp__plugin_surrealdb-memory_")
}

// Limits in bytes of another tool's input and answer.
const (
	maxToolInput  = 200
	maxToolAnswer = 500
)

func toolUsed(o Occurrence) memory.Event {
	event := New(o, memory.EventToolUsed)
	event.Tool = o.Input.ToolName
	event.Text = memory.Cut(Text(gist(o.Input.ToolInput)), maxToolInput)
	event.Output = memory.Cut(Text(gist(o.Input.ToolResponse)), maxToolAnswer)
	return event
}

// gist returns a value as readable text: a string as it is, the elements of a list, the short string fields of an object.
func gist(v hookio.Value) string {
	switch v.Kind {
	case hookio.String:
		return v.Text
	case hookio.Array:
		return strings.Join(memory.Each(v.Items, gist), " ")
	case hookio.Object:
		if text := v.String("text"); text != "" { // a content block
			return text
		}
		var parts []string
		for _, field := range v.Fields {
			if text := field.Value.Text; field.Value.Kind == hookio.String && text != "" && len(text) <= maxToolInput {
				parts = append(parts, field.Name+": "+text) // the redaction of secrets needs the name and the colon
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

// maxError is the number of bytes that an error text is cut to.
const maxError = 4000

// ToolFailure returns the event of a shell command that failed, without an ID if it is not worth remembering.
func ToolFailure(o Occurrence) memory.Event {
	command := o.Input.ToolInput.String("command")
	// An interrupted command did not fail: the user stopped it.
	if o.Input.ToolName != "Bash" || command == "" || o.Input.IsInterrupt || neverRan(o.Input.Error) || isAnswer(command, o.Input.Error) {
		return memory.Event{}
	}
	event := New(o, memory.EventCommandFailed)
	event.Tool = o.Input.ToolName
	event.Command = Text(command)
	event.Error = memory.Cut(Text(o.Input.Error), maxError)
	return event
}

// isAnswer reports whether an error is only an exit code with which a command answers, as grep does with 1.
func isAnswer(command, text string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(text, "Error: "), "\n")
	digits, isCode := strings.CutPrefix(strings.TrimSpace(first), "Exit code ")
	code, err := strconv.Atoi(digits)
	return isCode && err == nil && shell.IsExpectedExit(command, code)
}

// neverRan reports whether a call was not carried out: the user refused it, or the client found it invalid.
func neverRan(text string) bool {
	text = strings.TrimPrefix(text, "Error: ")
	return slices.ContainsFunc([]string{
		"The user doesn't want to", "[Request interrupted", "<tool_use_error>", "Permission to use", "Claude requested permissions",
	}, func(beginning string) bool { return strings.HasPrefix(text, beginning) })
}
