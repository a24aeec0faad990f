package client

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// Codex is the name of OpenAI's Codex CLI. The contract of its hooks was measured on version
// 0.169.0: docs/lab/clients.md.
const Codex = "codex"

var codex = Client{Name: Codex, Title: "Codex CLI", tools: codexTools, Inputs: codexInputs, Output: contextOnly}

const codexSpawn = "spawn_agent" // with the name of its namespace before it, or without

// codexTools are the tools of Codex that have a counterpart. Plans, goals, pictures and waiting for subagents do
// nothing to the project.
var codexTools = tools{
	named: []tool{
		{bashTool, []string{bashTool}, nil},
		{agentTool, []string{codexSpawn}, []string{"subagent_type", "agent_type", "prompt", "message"}},
	},
	own: "mcp__surrealdb_memory__", mcp: "mcp__",
}

func codexInputs(in hookio.Input) []hookio.Input {
	switch in.HookEventName {
	case hookio.UserPromptSubmit:
		if in.AgentID != "" { // the task that the assistant gives a subagent, which is no prompt of the user
			return nil
		}
	case hookio.PreToolUse:
		return codexTool(in)
	case hookio.PostToolUse:
		if in.ToolName == bashTool {
			return []hookio.Input{codexRan(in)}
		}
		if in.ToolName == patchTool && !strings.HasPrefix(in.ToolResponse.Text, "Exit code: 0\n") {
			return nil
		}
		return codexTool(in)
	case hookio.PostCompact:
		in.CompactSummary = codexSummary(in.TranscriptPath)
	}
	return []hookio.Input{in}
}

// codexTool gives a tool the name and the input that Claude Code has for the same work.
func codexTool(in hookio.Input) []hookio.Input {
	switch {
	case in.ToolName == patchTool:
		return edits(in, in.ToolInput.Get("command"))
	case strings.HasSuffix(in.ToolName, codexSpawn):
		in.ToolName = codexSpawn
	}
	return codexTools.inputs(in)
}

// codexRan is a shell command with its outcome, of which the input has the output alone: the line
// before the hook in the transcript has the exit code.
func codexRan(in hookio.Input) hookio.Input {
	code, known := codexExitCode(in.TranscriptPath, in.ToolUseID)
	return ran(in, in.ToolResponse, code, known)
}
