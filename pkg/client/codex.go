package client

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// Codex is the name of OpenAI's Codex CLI. The contract of its hooks was measured on version
// 0.169.0: docs/clients.md.
const Codex = "codex"

// CodexServer is the name under which our MCP server is configured there, and codexOwnTools how its hooks name the
// tools of it.
const (
	CodexServer   = "surrealdb-memory"
	codexOwnTools = "mcp__surrealdb_memory__"
)

var codex = Client{Name: Codex, Title: "Codex CLI", Inputs: codexInputs, Output: codexOutput}

// The tools of Codex that have a counterpart, by their names in its hooks.
const (
	codexPatch = "apply_patch"
	codexSpawn = "spawn_agent" // with the name of its namespace before it, or without
)

// The names of Claude Code's tools, and of our own there.
const (
	bashTool  = "Bash"
	editTool  = "Edit"
	writeTool = "Write"
	agentTool = "Agent"
	ownTools  = "mcp__plugin_surrealdb-memory_memory__"
)

func codexInputs(in hookio.Input) []hookio.Input {
	switch in.HookEventName {
	case hookio.UserPromptSubmit:
		if in.AgentID != "" { // the task that the assistant gives a subagent: the user has not said it
			return nil
		}
	case hookio.PreToolUse:
		return codexTool(in)
	case hookio.PostToolUse:
		if in.ToolName == bashTool {
			return []hookio.Input{codexRan(in)}
		}
		if in.ToolName == codexPatch && !strings.HasPrefix(in.ToolResponse.Text, "Exit code: 0\n") {
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
	case in.ToolName == codexPatch:
		return codexEdits(in)
	case strings.HasSuffix(in.ToolName, codexSpawn):
		in.ToolInput = object("subagent_type", in.ToolInput.Get("agent_type"), "prompt", in.ToolInput.Get("message"))
		in.ToolName = agentTool
	case strings.HasPrefix(in.ToolName, codexOwnTools):
		in.ToolName = ownTools + strings.TrimPrefix(in.ToolName, codexOwnTools)
	case in.ToolName != bashTool && !strings.HasPrefix(in.ToolName, "mcp__"):
		return nil // plans, goals, pictures, waiting for subagents: they do nothing to the project
	}
	return []hookio.Input{in}
}

// codexEdits is an edit or a write for each file that a patch changes; a deletion has no counterpart.
func codexEdits(in hookio.Input) []hookio.Input {
	patch := in.ToolInput.Get("command")
	var all []hookio.Input
	for _, f := range PatchedFiles(patch.Text) {
		one := in
		path := f.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(in.CWD, path)
		}
		name := text(path)
		if f.IsNew {
			one.ToolName, one.ToolInput = writeTool, object("file_path", name, "content", part(f.After, patch.Cut))
		} else {
			one.ToolName = editTool
			one.ToolInput = object("file_path", name, "old_string", part(f.Before, patch.Cut), "new_string", part(f.After, patch.Cut))
		}
		all = append(all, one)
	}
	return all
}

// codexRan is a shell command with its outcome, of which the input has the output alone: the line
// before the hook in the transcript has the exit code. A command that failed has an event of its own
// in Claude Code.
func codexRan(in hookio.Input) hookio.Input {
	output := in.ToolResponse
	code, known := codexExitCode(in.TranscriptPath, in.ToolUseID)
	switch {
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

// codexOutput leaves only the fields that Codex knows: it rejects an answer with another. The question
// at the end of a turn is left out, because codex exec would print the answer to it.
func codexOutput(event string, o hookio.Output) hookio.Output {
	out := hookio.Context(event, o.AdditionalContext)
	out.SystemMessage = o.SystemMessage
	return out
}

func text(s string) hookio.Value { return hookio.Value{Kind: hookio.String, Text: s} }

func part(s string, cut bool) hookio.Value {
	return hookio.Value{Kind: hookio.String, Text: s, Cut: cut}
}

// object makes an object of names and values in turn.
func object(members ...any) hookio.Value {
	v := hookio.Value{Kind: hookio.Object}
	for i := 0; i+1 < len(members); i += 2 {
		v.Fields = append(v.Fields, hookio.Field{Name: members[i].(string), Value: members[i+1].(hookio.Value)})
	}
	return v
}
