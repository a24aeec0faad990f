package client

import (
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// The names of Claude Code's tools, and of our own there.
const (
	bashTool  = "Bash"
	readTool  = "Read"
	editTool  = "Edit"
	writeTool = "Write"
	agentTool = "Agent"
	ownTools  = "mcp__plugin_surrealdb-memory_memory__"
)

// Slug is Claude Code's name for the folder of a directory.
func Slug(dir string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, dir)
}

// contextOnly leaves the context and the message for the user, as clients that have Claude Code's answers accept
// them; Codex rejects an answer with any other field. The question at the end of a turn is left out, because a
// headless client would print the answer to it.
func contextOnly(event string, o hookio.Output) hookio.Output {
	out := hookio.Context(event, o.AdditionalContext)
	out.SystemMessage = o.SystemMessage
	return out
}

//go:noinline
func editing(path, before, after hookio.Value) hookio.Value {
	return object("file_path", path, "old_string", before, "new_string", after)
}

//go:noinline
func writing(path, content hookio.Value) hookio.Value {
	return object("file_path", path, "content", content)
}

// ran is a shell command with its outcome, unless nobody knows whether it succeeded. One that failed has an event of
// its own in Claude Code.
func ran(in hookio.Input, output hookio.Value, code int64, known bool) hookio.Input {
	in.ToolName = bashTool
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

// reported is the response of a subagent.
//
//go:noinline
func reported(report string) hookio.Value {
	block := object("type", text("text"), "text", text(report))
	return object("status", text("completed"), "content", hookio.Value{Kind: hookio.Array, Items: []hookio.Value{block}})
}

//go:noinline
func text(s string) hookio.Value { return hookio.Value{Kind: hookio.String, Text: s} }

//go:noinline
func part(s string, cut bool) hookio.Value {
	return hookio.Value{Kind: hookio.String, Text: s, Cut: cut}
}

// renamed is an object with members of another under other names: ours and theirs in turn. It is not inlined, nor are
// those that make objects: their copies were 20 KB of each hook program.
//
//go:noinline
func renamed(from hookio.Value, names ...string) hookio.Value {
	v := hookio.Value{Kind: hookio.Object}
	for i := 0; i+1 < len(names); i += 2 {
		v.Fields = append(v.Fields, hookio.Field{Name: names[i], Value: from.Get(names[i+1])})
	}
	return v
}

// object makes an object of names and values in turn.
//
//go:noinline
func object(members ...any) hookio.Value {
	v := hookio.Value{Kind: hookio.Object}
	for i := 0; i+1 < len(members); i += 2 {
		v.Fields = append(v.Fields, hookio.Field{Name: members[i].(string), Value: members[i+1].(hookio.Value)})
	}
	return v
}
