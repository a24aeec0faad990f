package client

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// OpenCode is the name of OpenCode. It runs no programs for its events: our plugin there does, with Claude Code's names
// of events and fields. The contract of plugins was measured on version 1.18.33: docs/clients.md.
const OpenCode = "opencode"

// openCodeOwnTools is how our MCP server's tools are named there.
const openCodeOwnTools = "surrealdb-memory_"

var openCode = Client{Name: OpenCode, Title: "OpenCode", Inputs: openCodeInputs, Output: contextOnly}

func openCodeInputs(in hookio.Input) []hookio.Input {
	switch in.HookEventName {
	case hookio.UserPromptSubmit:
		in.Prompt = OpenCodePrompt(in.Prompt)
	case hookio.PreToolUse, hookio.PostToolUse:
		return openCodeTool(in)
	}
	return []hookio.Input{in}
}

// OpenCodePrompt is a prompt without the quotes that "opencode run" puts around one with spaces.
func OpenCodePrompt(prompt string) string {
	inner, begins := strings.CutPrefix(prompt, `"`)
	inner, ends := strings.CutSuffix(inner, `"`)
	if !begins || !ends || strings.Contains(strings.ReplaceAll(inner, `\"`, ""), `"`) {
		return prompt
	}
	return strings.ReplaceAll(inner, `\"`, `"`)
}

// openCodeTool gives a tool the name and the input that Claude Code has for the same work.
func openCodeTool(in hookio.Input) []hookio.Input {
	input, output := in.ToolInput, in.ToolResponse.Get("output")
	tool, known := OpenCodeTool(in.ToolName)
	if !known {
		return nil
	}
	in.ToolName = tool
	switch tool {
	case bashTool:
		if exit := in.ToolResponse.Get("exit"); in.HookEventName == hookio.PostToolUse {
			return []hookio.Input{ran(in, output, exit.Int(), exit.Kind == hookio.Number)}
		}
	case readTool:
		in.ToolInput = renamed(input, "file_path", "filePath")
	case editTool:
		in.ToolInput = renamed(input, "file_path", "filePath", "old_string", "oldString", "new_string", "newString")
	case writeTool:
		in.ToolInput = renamed(input, "file_path", "filePath", "content", "content")
	case patchTool:
		return edits(in, input.Get("patchText"))
	case agentTool:
		in.ToolInput = renamed(input, "subagent_type", "subagent_type", "description", "description", "prompt", "prompt")
		in.ToolResponse = reported(OpenCodeReport(output.Text))
	default:
		in.ToolResponse = output
	}
	return []hookio.Input{in}
}

// OpenCodeTool is Claude Code's name for a tool of OpenCode, or that of a patch; unknown are those that do nothing to
// the project. Tools of MCP servers have the server's name and a _ before theirs.
func OpenCodeTool(name string) (tool string, known bool) {
	switch name {
	case "bash":
		return bashTool, true
	case "read":
		return readTool, true
	case "edit":
		return editTool, true
	case "write":
		return writeTool, true
	case "task":
		return agentTool, true
	}
	if own, is := strings.CutPrefix(name, openCodeOwnTools); is {
		return ownTools + own, true
	}
	return name, strings.Contains(name, "_")
}

// OpenCodeReport is a subagent's report in the tool's answer to the model.
func OpenCodeReport(told string) string {
	_, report, found := strings.Cut(told, "<task_result>")
	if !found {
		return told
	}
	report, _, _ = strings.Cut(report, "</task_result>")
	return strings.TrimSpace(report)
}
