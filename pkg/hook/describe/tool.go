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

// maxOutput is the length that a command's output is cut to, in bytes: its end is kept,
// where the result stands.
const maxOutput = 2000

// maxText is the length that a changed text is cut to, in bytes: its beginning is kept.
const maxText = 2000

// The tools by which the client asks its user, and by which the assistant reads.
const (
	readTool = "Read"
	askTool  = "AskUserQuestion"
	planTool = "ExitPlanMode"
)

// ToolUse makes the event of a tool call; an event without an id is not worth storing. A user's answers have
// events of their own, see Answers. Failing reports whether any command had failed in this session and
// not succeeded since, and removes the one that succeeded, if any, from these.
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
	file := input.String("file_path")
	if o.Input.ToolName == "NotebookEdit" {
		file = input.String("notebook_path")
	}
	if file == "" {
		return memory.Event{}
	}
	if file = o.Project.Rel(file); isPlan(file) {
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

// isPlan reports whether a file, as Rel names it, is a draft of a plan in the client's own folder, plans below
// its configuration: that is no work on the project. A plan that the user accepts has an event of its
// own.
func isPlan(file string) bool {
	isOutside := path.IsAbs(file) || len(file) > 1 && file[1] == ':'
	return isOutside && path.Base(path.Dir(file)) == "plans" && path.Ext(file) == ".md"
}

// fileRead names the file alone: its content can be read again.
func fileRead(o Occurrence) memory.Event {
	file := o.Input.ToolInput.String("file_path")
	if file == "" {
		return memory.Event{}
	}
	if file = o.Project.Rel(file); isPlan(file) {
		return memory.Event{}
	}
	event := New(o, memory.EventToolUsed)
	event.Tool, event.File = readTool, file
	return event
}

// commandRan is empty for a command that is not worth remembering: while a command is
// failing, whatever is run may be its cure.
func commandRan(o Occurrence, failing func(string) bool) memory.Event {
	command := o.Input.ToolInput.String("command")
	inBackground := o.Input.ToolInput.Bool("run_in_background") || o.Input.ToolResponse.String("backgroundTaskId") != ""
	if inBackground || o.Input.ToolResponse.Bool("interrupted") { // its outcome is not known
		if !failing("") || shell.LooksAround(command) {
			return memory.Event{}
		}
		event := New(o, memory.EventToolUsed)
		event.Tool, event.Text = o.Input.ToolName, memory.Cut(Text(command), maxToolInput)
		return event
	}
	if !failing(command) || shell.LooksAround(command) {
		return memory.Event{}
	}
	event := New(o, memory.EventCommandSucceeded)
	event.Tool = o.Input.ToolName
	event.Command = Text(command)
	printed := strings.TrimSuffix(o.Input.ToolResponse.String("stdout")+"\n"+o.Input.ToolResponse.String("stderr"), "\n")
	event.Output = Tail(Text(printed), maxOutput) // a cut could part a secret from its name
	return event
}

// subagentReported keeps the report of a subagent in the foreground; one in the
// background reports when it stops.
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
	daemon := cmp.Or(response.String("agentType"), o.Input.ToolInput.String("subagent_type")) // older clients did not repeat them
	return SubagentReport(o, daemon, cmp.Or(response.String("prompt"), o.Input.ToolInput.String("prompt")),
		strings.Join(said, "\n"))
}

// planAccepted is a plan that the user let the assistant carry out; that of a subagent
// went to the assistant.
func planAccepted(o Occurrence) memory.Event {
	response := o.Input.ToolResponse
	if response.Bool("isDaemon") || response.Bool("awaitingLeaderApproval") {
		return memory.Event{}
	}
	plan := response.String("plan")
	if plan == "" {
		plan = o.Input.ToolInput.String("plan")
	}
	return Report(o, memory.EventPlanAccepted, "", plan)
}

// isClientsNote recognises the block in which the client lists the tools that a subagent used; the report that
// SubagentStop sees does not have it.
func isClientsNote(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "<tools-used-before-summary>") && strings.HasSuffix(text, "</tools-used-before-summary>")
}

// isSkipped reports whether a tool does nothing to the project, is recorded otherwise (see Answers), or is our
// own: recalled memories must not be captured again.
func isSkipped(tool string) bool {
	switch tool {
	case "", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", askTool, "Skill", "SlashCommand",
		"Glob", "Grep", "LS",
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

func toolUsed(o Occurrence) memory.Event {
	event := New(o, memory.EventToolUsed)
	event.Tool = o.Input.ToolName
	event.Text = memory.Cut(Text(gist(o.Input.ToolInput)), maxToolInput)
	event.Output = memory.Cut(Text(gist(o.Input.ToolResponse)), maxToolAnswer)
	return event
}

// gist is a value as readable text: a string as it is, a list as the texts of its
// elements, an object as its short fields.
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

// maxError is the length that an error text is cut to, in bytes.
const maxError = 4000

// ToolFailure makes the event of a tool that failed; without an id it is not worth
// remembering.
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

// isAnswer reports whether an error is the exit code by which a command answers.
func isAnswer(command, text string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(text, "Error: "), "\n")
	digits, isCode := strings.CutPrefix(strings.TrimSpace(first), "Exit code ")
	code, err := strconv.Atoi(digits)
	return isCode && err == nil && shell.Answers(command, code)
}

// neverRan reports whether an error is about a call that was not carried out: it was refused, or the client
// found it invalid.
func neverRan(text string) bool {
	text = strings.TrimPrefix(text, "Error: ")
	return slices.ContainsFunc([]string{
		"The user doesn't want to", "[Request interrupted", "<tool_use_error>", "Permission to use", "Claude requested permissions",
	}, func(beginning string) bool { return strings.HasPrefix(text, beginning) })
}
