package client

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// Copilot is the name of GitHub's Copilot CLI. The contract of its hooks was measured on version
// 1.0.102: docs/lab/clients.md.
const Copilot = "copilot"

// copilotTools are its tools by their names in its hooks and in transcripts. Those of MCP servers have the server's
// name and a - before theirs.
var copilotTools = tools{
	named: []tool{
		{bashTool, []string{bashTool, "bash", "powershell"}, nil},
		{readTool, []string{readTool, "view"}, []string{"file_path", "path"}},
		{editTool, []string{editTool, "edit"}, []string{"file_path", "path", "old_string", "old_str", "new_string", "new_str"}},
		{writeTool, []string{writeTool, "create"}, []string{"file_path", "path", "content", "file_text"}},
		{agentTool, []string{agentTool, "task"}, []string{
			"subagent_type", "agent_type", "description",
			"description", "prompt", "prompt",
		}},
	},
	own: Server + "-", mcp: "-",
}

var copilot = Client{Name: Copilot, Title: "Copilot CLI", tools: copilotTools, Inputs: copilotInputs, Output: copilotOutput}

func copilotInputs(in hookio.Input) []hookio.Input {
	inSubagent := in.AgentID != "" || in.ParentAgentID != ""
	if in.ParentAgentID != "" { // its own session is the subagent's
		in.SessionID = in.ParentAgentID
	}
	switch in.HookEventName {
	case hookio.SessionStart:
		if in.Source == "new" {
			in.Source = "startup"
		}
	case hookio.UserPromptSubmit:
		if inSubagent { // the task that the assistant gives it, which is no prompt of the user
			return nil
		}
	case hookio.Stop:
		if inSubagent { // SubagentStop comes, too
			return nil
		}
		in.LastAssistantMessage = copilotLastWords(in.TranscriptPath)
	case hookio.PreToolUse:
		return copilotTools.inputs(in)
	case hookio.PostToolUse:
		if in.ToolName == agentTool { // SubagentStop has the report
			return nil
		}
		if in.ToolName == bashTool {
			output := in.ToolResponse.Get("text_result_for_llm")
			text, code, known := CopilotOutcome(output.Text)
			return []hookio.Input{ran(in, part(text, output.Cut), code, known)}
		}
		in.ToolResponse = in.ToolResponse.Get("text_result_for_llm")
		return copilotTools.inputs(in)
	case hookio.PostToolUseFailure: // of a tool that could not do its work: a command that failed is a PostToolUse
		return nil
	}
	return []hookio.Input{in}
}

// CopilotOutcome is the output of a shell command and its exit code, which stands behind it: without one, the command
// goes on in the background or was ended.
func CopilotOutcome(told string) (output string, code int64, known bool) {
	at := strings.LastIndex(told, "<shellId: ")
	if at < 0 {
		return told, 0, false
	}
	_, exit, found := strings.Cut(strings.TrimSuffix(told[at:], ">"), " completed with exit code ")
	code, err := strconv.ParseInt(exit, 10, 64)
	return strings.TrimSuffix(told[:at], "\n"), code, found && err == nil
}

// copilotLastWords are the assistant's last ones in the main conversation.
func copilotLastWords(transcript string) string {
	line := lastLine(transcript, func(line []byte) (hookio.Value, bool) {
		if !bytes.Contains(line, []byte(`"type":"assistant.message"`)) {
			return hookio.Value{}, false
		}
		entry, err := hookio.ParseObject(line)
		isMain := entry.String("agentId") == "" && entry.String("type") == "assistant.message"
		return entry, err == nil && isMain && entry.String("data", "content") != ""
	})
	return line.String("data", "content")
}

// copilotOutput puts the context where Copilot CLI reads it: before a tool runs it is where Claude Code does.
func copilotOutput(event string, o hookio.Output) hookio.Output {
	out := contextOnly(cmp.Or(event, hookio.SubagentStart), o)
	if event != hookio.PreToolUse {
		out.BareContext, out.AdditionalContext, out.HookEventName = out.AdditionalContext, "", ""
	}
	return out
}
