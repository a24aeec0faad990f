package client

import (
	"strconv"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// Cursor is the name of Cursor, the editor and its command line. The contract of its hooks is that of its documents and of
// others' records, for the client itself could not be tried: docs/clients.md.
const Cursor = "cursor"

var cursor = Client{Name: Cursor, Title: "Cursor", Inputs: cursorInputs, Output: cursorOutput}

func cursorInputs(in hookio.Input) []hookio.Input {
	if in.CWD == "" {
		in.CWD = in.Workspace
	}
	switch in.HookEventName {
	case "sessionStart": // of a new conversation alone
		in.HookEventName, in.Source = hookio.SessionStart, "startup"
	case "beforeSubmitPrompt":
		in.HookEventName = hookio.UserPromptSubmit
	case "afterAgentResponse":
		in.HookEventName = hookio.Stop
	case "sessionEnd":
		in.HookEventName = hookio.SessionEnd
	case "postToolUse":
		return cursorUsed(in)
	case "postToolUseFailure":
		return cursorFailed(in)
	case "afterFileEdit":
		return cursorEdits(in)
	case "subagentStop": // its SubagentStop would look for the task in the transcript
		if in.ParentAgentID != "" {
			in.SessionID = in.ParentAgentID
		}
		in.HookEventName, in.ToolName = hookio.PostToolUse, agentTool
		in.ToolInput = object("subagent_type", text(in.AgentType), "prompt", text(in.TaskDescription))
		in.ToolResponse = reported(in.LastAssistantMessage)
	default:
		return nil
	}
	return []hookio.Input{in}
}

// cursorUsed is the use of a tool. As nothing can be told before a tool runs, the recall for a file comes after it. What is
// written has an event of its own, and MCP tools do not tell which server they are of, so that ours can't be told from others.
func cursorUsed(in hookio.Input) []hookio.Input {
	in.HookEventName = hookio.PostToolUse
	before := in
	before.HookEventName = hookio.PreToolUse
	switch in.ToolName {
	case "Shell":
		output, code, known := cursorOutcome(in.ToolResponse)
		return []hookio.Input{ran(in, output, code, known)}
	case readTool:
		return []hookio.Input{before, in}
	case writeTool:
		return []hookio.Input{before}
	}
	return nil
}

// cursorOutcome is the output and the exit code of a shell command, which come as JSON in a text. One that was cut is no
// JSON, but ends with the code.
func cursorOutcome(told hookio.Value) (output hookio.Value, code int64, known bool) {
	const exitCode = "exitCode"
	if result, err := hookio.ParseObject([]byte(told.Text)); err == nil {
		if output = result.Get("output"); output.Kind != hookio.String {
			output = part(result.String("stdout")+result.String("stderr"), told.Cut)
		}
		return output, result.Int(exitCode), result.Get(exitCode).Kind == hookio.Number
	}
	at := strings.LastIndex(told.Text, `"`+exitCode+`":`)
	if at < 0 {
		return told, 0, false
	}
	number := strings.TrimRight(told.Text[at+len(exitCode)+3:], "} \n")
	code, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	return part(told.Text[:at], true), code, err == nil
}

// cursorFailed is a shell command that failed, of which the exit code is not known. One that was refused did not run.
func cursorFailed(in hookio.Input) []hookio.Input {
	if in.ToolName != "Shell" || in.Reason == "permission_denied" {
		return nil
	}
	in.HookEventName, in.ToolName = hookio.PostToolUseFailure, bashTool
	return []hookio.Input{in}
}

// cursorEdits are the edits of a file; a new file has none.
func cursorEdits(in hookio.Input) []hookio.Input {
	file, all := text(in.FilePath), in.ToolInput.Items
	in.HookEventName, in.ToolName = hookio.PostToolUse, writeTool
	in.ToolInput = writing(file, hookio.Value{})
	if len(all) == 0 {
		return []hookio.Input{in}
	}
	var edits []hookio.Input
	in.ToolName = editTool
	for _, one := range all[:min(len(all), maxPatched)] {
		in.ToolInput = editing(file, one.Get("old_string"), one.Get("new_string"))
		edits = append(edits, in)
	}
	return edits
}

// cursorOutput puts the context where Cursor reads it. It has no message for the user that would not also hold a prompt back.
func cursorOutput(_ string, o hookio.Output) hookio.Output {
	return hookio.Output{SnakeContext: o.AdditionalContext}
}
