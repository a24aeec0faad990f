package client

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// The names of tools in Codex: of subagents with their namespace before it, or without, and of our MCP server's.
const (
	codexSpawn = "spawn_agent"
	codexOwn   = "mcp__surrealdb_memory__"
)

// CodexInputs returns the inputs that Claude Code would have sent for an input of Codex: none if it has no such event,
// several for a patch of several files. Their session is the thread. Fields that the input lacks are read in the transcript.
func CodexInputs(in hookio.Input) []hookio.Input {
	in.SessionID = cmp.Or(threadOf(in), in.SessionID)
	switch in.HookEventName {
	case hookio.UserPromptSubmit:
		if in.AgentID != "" { // the task that the assistant gives a subagent, which is no prompt of the user
			return nil
		}
	case hookio.PreToolUse:
		if in.ToolName == PatchTool { // as it is, too: it may delete and move files
			return append([]hookio.Input{in}, codexTool(in)...)
		}
		return codexTool(in)
	case hookio.PostToolUse:
		if in.ToolName == bashTool {
			return []hookio.Input{codexRan(in)}
		}
		if in.ToolName == PatchTool && !strings.HasPrefix(in.ToolResponse.Text, "Exit code: 0\n") {
			return nil
		}
		return codexTool(in)
	case hookio.PostCompact:
		in.CompactSummary = codexSummary(in.TranscriptPath)
	}
	return []hookio.Input{in}
}

// CodexOutput returns an answer as Codex accepts it for an event: the context or a denial, and the message for the user, because
// Codex rejects an answer with any other field, and runs the command. The question at the end of a turn is left out, because a headless client
// would print the answer to it.
func CodexOutput(event string, o hookio.Output) hookio.Output {
	out := hookio.Context(event, o.AdditionalContext)
	if o.Denial != "" {
		out = hookio.Deny(o.Denial)
	}
	out.SystemMessage = o.SystemMessage
	return out
}

// codexTool gives a tool the name and the input that Claude Code has for the same work. Plans, goals, pictures and
// waiting for subagents do nothing to the project, and have no counterpart.
func codexTool(in hookio.Input) []hookio.Input {
	own, isOwn := strings.CutPrefix(in.ToolName, codexOwn)
	switch {
	case in.ToolName == PatchTool:
		return edits(in, in.ToolInput.Get("command"))
	case strings.HasSuffix(in.ToolName, codexSpawn):
		in.ToolName = agentTool
		in.ToolInput = object("subagent_type", in.ToolInput.Get("agent_type"), "prompt", in.ToolInput.Get("message"))
	case isOwn:
		in.ToolName = ownTools + own
	case in.ToolName != bashTool && !strings.HasPrefix(in.ToolName, "mcp__"):
		return nil
	}
	return []hookio.Input{in}
}

// codexRan is a shell command with its outcome, of which the input has the output alone: the line before the hook in the
// transcript has the exit code. Without it nobody knows whether the command succeeded. One that failed has an event of
// its own in Claude Code.
func codexRan(in hookio.Input) hookio.Input {
	output := in.ToolResponse
	switch code, known := codexExitCode(in.TranscriptPath, in.ToolUseID); {
	case !known:
		in.ToolResponse = object("stdout", output, "interrupted", hookio.Value{Kind: hookio.Bool, True: true})
	case code == 0:
		in.ToolResponse = object("stdout", output)
	default:
		in.HookEventName = hookio.PostToolUseFailure
		in.Error = fmt.Sprintf("Exit code %d\n%s", code, output.Text)
		in.ToolResponse = hookio.Value{}
	}
	return in
}
