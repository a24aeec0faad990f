package client

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// Codex's names: the suffix of the tool that starts a subagent, which may have a namespace in front, and the prefix of
// our MCP server's tools.
const (
	codexSpawn = "spawn_agent"
	codexOwn   = "mcp__surrealdb_memory__"
)

// CodexInputs returns the inputs that Claude Code would have sent for an input of Codex: none if Claude Code has no
// such event, several for a patch of several files. SessionID becomes the id of the thread, which is
// Codex's word for a session. Missing fields are filled in from the transcript.
func CodexInputs(in hookio.Input) []hookio.Input {
	in.SessionID = cmp.Or(threadOf(in), in.SessionID)
	switch in.HookEventName {
	case hookio.PreToolUse:
		if in.ToolName == PatchTool { // the patch itself is passed on, too, because it may delete and move files
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
		last := LastLine(in.TranscriptPath, func(entry hookio.Value) bool { return entry.String("type") == "compacted" }, `"type":"compacted"`)
		in.CompactSummary = Summary(last.String("payload", "message"))
	}
	return []hookio.Input{in}
}

// CodexOutput returns an answer that Codex accepts: the context or the denial, and the message for the user. Codex
// rejects an answer with any other field and runs the command anyway.
func CodexOutput(event string, o hookio.Output) hookio.Output {
	out := hookio.Context(event, o.AdditionalContext)
	if o.Denial != "" {
		out = hookio.Deny(o.Denial)
	}
	out.SystemMessage = o.SystemMessage
	return out
}

// codexTool renames a tool and its input to Claude Code's equivalents. It returns nil for tools that do not change the
// project: plans, goals, pictures, waiting for subagents.
func codexTool(in hookio.Input) []hookio.Input {
	own, isOwn := strings.CutPrefix(in.ToolName, codexOwn)
	switch {
	case in.ToolName == PatchTool:
		return edits(in, in.ToolInput.Get("command"))
	case strings.HasSuffix(in.ToolName, codexSpawn):
		in.ToolName = agentTool
		in.ToolInput = object("subagent_type", in.ToolInput.Get("agent_type"), "prompt", in.ToolInput.Get("message"))
	case isOwn:
		in.ToolName = OwnTools + own
	case in.ToolName != bashTool && !strings.HasPrefix(in.ToolName, "mcp__"):
		return nil
	}
	return []hookio.Input{in}
}

// codexRan returns the input of a shell command with its outcome. The hook's input has only the output, so codexRan
// reads the exit code from the transcript; without it, the command is marked as interrupted. A failed command becomes a
// PostToolUseFailure, as in Claude Code.
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
