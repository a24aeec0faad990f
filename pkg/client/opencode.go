package client

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// OpenCode is the name of OpenCode. It runs no programs for its events: our plugin there does, with Claude Code's names
// of events and fields. The contract of plugins was measured on version 1.18.33: docs/lab/clients.md.
const OpenCode = "opencode"

// openCodeTools are its tools that have a counterpart. Those of MCP servers have the server's name and a _ before theirs.
var openCodeTools = tools{
	named: []tool{
		{bashTool, []string{"bash"}, nil},
		{readTool, []string{"read"}, []string{"file_path", "filePath"}},
		{editTool, []string{"edit"}, []string{"file_path", "filePath", "old_string", "oldString", "new_string", "newString"}},
		{writeTool, []string{"write"}, []string{"file_path", "filePath", "content", "content"}},
		{agentTool, []string{"task"}, []string{"subagent_type", "subagent_type", "description", "description", "prompt", "prompt"}},
	},
	own: Server + "_", mcp: "_",
}

var openCode = Client{Name: OpenCode, Title: "OpenCode", tools: openCodeTools, Inputs: openCodeInputs, Output: contextOnly}

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
	all := openCodeTools.inputs(in)
	if len(all) == 0 {
		return nil
	}
	in = all[0]
	output, exit := in.ToolResponse.Get("output"), in.ToolResponse.Get("exit")
	switch in.ToolName {
	case bashTool:
		if in.HookEventName == hookio.PostToolUse {
			return []hookio.Input{ran(in, output, exit.Int(), exit.Kind == hookio.Number)}
		}
	case readTool, editTool, writeTool:
	case patchTool:
		return edits(in, in.ToolInput.Get("patchText"))
	case agentTool:
		in.ToolResponse = reported(OpenCodeReport(output.Text))
	default:
		in.ToolResponse = output
	}
	return []hookio.Input{in}
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
