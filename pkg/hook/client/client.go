// Package client translates between Codex and Claude Code: it turns the inputs of Codex's hooks into Claude Code's
// inputs, which the rest of the code knows, and our answers into answers that Codex accepts. Hook programs link it, so
// it imports only what they may link. Package connect configures Codex; package importer reads transcripts.
package client

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// Codex is the name of OpenAI's Codex CLI. Its hook contract was measured on version 0.169.0: docs/lab/clients.md.
const Codex = "codex"

func DisplayName(name string) string {
	if name == Codex {
		return "Codex"
	}
	return name
}

func ResumeCommand(name, session string) string {
	if name == Codex {
		return "codex resume " + session
	}
	return "claude --resume " + session
}

// SplitName returns the words of an event's name in lower case, separated by between: session-start for SessionStart.
func SplitName(event, between string) string {
	var words strings.Builder
	for i, letter := range event {
		if i > 0 && letter >= 'A' && letter <= 'Z' {
			words.WriteString(between)
		}
		words.WriteRune(letter)
	}
	return strings.ToLower(words.String())
}

// Server is the name under which our MCP server is configured in Codex.
const Server = "surrealdb-memory"

// OwnTools is Claude Code's prefix for the tools of our MCP server.
const OwnTools = "mcp__plugin_surrealdb-memory_memory__"

// Claude Code's names for its tools.
const (
	bashTool  = "Bash"
	editTool  = "Edit"
	writeTool = "Write"
	agentTool = "Agent"
)

// Slug returns Claude Code's folder name for a directory: each character other than a letter or digit becomes "-".
func Slug(dir string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, dir)
}

// Codex's names: the end of the name of the tool that starts a subagent, and the prefix of our MCP server's tools.
const (
	codexSpawn = "spawn_agent"
	codexOwn   = "mcp__surrealdb_memory__"
)

// CodexInputs returns the inputs that Claude Code would have sent for an input of Codex: none if Claude Code has no
// such event, several for a patch of several files. SessionID becomes the id of the thread (see
// CodexThread). Missing fields are filled in from the transcript.
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
	if o.Permission == "deny" {
		out = hookio.Deny(o.Reason)
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

// PatchTool is the name of Codex's tool that applies a patch.
const PatchTool = "apply_patch"

// PatchedFile is the change of one file in a patch of Codex's format.
type PatchedFile struct {
	Path   string
	IsNew  bool
	Before string // removed lines and context; empty for a new file
	After  string
}

// maxPatched is the maximum number of files of one patch: nobody looks for a single edit in a larger patch.
const maxPatched = 50

// PatchedFiles returns the first maxPatched files that a patch adds or updates, without deleted files.
func PatchedFiles(patch string) []PatchedFile {
	var all []PatchedFile
	from, at := -1, 0 // offset of the current file's lines (-1: none yet), and of the current line
	end := func() {
		if from >= 0 {
			all[len(all)-1].Before, all[len(all)-1].After = Replaced(patch[from:at])
		}
		from = -1
	}
	for line := range strings.Lines(patch) {
		switch header, name, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ": "); {
		case header == "*** Add File" || header == "*** Update File":
			end()
			if len(all) == maxPatched {
				return all
			}
			all, from = append(all, PatchedFile{Path: name, IsNew: header == "*** Add File"}), at+len(line)
		case header == "*** Move to":
			if from >= 0 {
				all[len(all)-1].Path = name
			}
		case strings.HasPrefix(header, "*** ") && header != "*** End of File":
			end()
		}
		at += len(line)
	}
	end()
	return all
}

// Replaced returns the old and the new lines of a unified diff, both with the context lines.
func Replaced(diff string) (before, after string) {
	var b, a strings.Builder
	for line := range strings.Lines(diff) {
		if line[0] == '-' || line[0] == ' ' {
			b.WriteString(line[1:])
		}
		if line[0] == '+' || line[0] == ' ' {
			a.WriteString(line[1:])
		}
	}
	return b.String(), a.String()
}

// edits returns an Edit or Write input for each file that a patch adds or updates.
func edits(in hookio.Input, patch hookio.Value) []hookio.Input {
	var all []hookio.Input
	for _, f := range PatchedFiles(patch.Text) {
		one := in
		path := f.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(in.CWD, path)
		}
		name, after := text(path, false), text(f.After, patch.Cut)
		if f.IsNew {
			one.ToolName, one.ToolInput = writeTool, object("file_path", name, "content", after)
		} else {
			one.ToolName = editTool
			one.ToolInput = object("file_path", name, "old_string", text(f.Before, patch.Cut), "new_string", after)
		}
		all = append(all, one)
	}
	return all
}

func text(s string, cut bool) hookio.Value {
	return hookio.Value{Kind: hookio.String, Text: s, Cut: cut}
}

// object returns an object from alternating names and values.
func object(members ...any) hookio.Value {
	v := hookio.Value{Kind: hookio.Object}
	for i := 0; i+1 < len(members); i += 2 {
		v.Fields = append(v.Fields, hookio.Field{Name: members[i].(string), Value: members[i+1].(hookio.Value)})
	}
	return v
}

// tails are the numbers of bytes that are read from the end of a transcript to find what the hook's input lacks: first few,
// then more. Both reads together take less than a hook's deadline.
var tails = []int64{64 << 10, 4 << 20}

// maxMeta is the maximum number of bytes of a transcript's first line, where Codex may write the model's instructions.
const maxMeta = 1 << 20

// CodexThread returns the ID of the thread that a transcript belongs to, from the payload of its first line, or "". A
// thread is a conversation; one session of Codex may have several. A subagent's transcript belongs to the thread that
// started it. A subagent that another subagent started counts as the session's, because its own file does not name the thread.
func CodexThread(meta hookio.Value) string {
	own, session, parent := meta.String("id"), meta.String("session_id"), meta.String("parent_thread_id")
	switch subagent := meta.Get("source", "subagent"); {
	case subagent.Kind == hookio.Missing:
		return cmp.Or(own, session)
	case subagent.Int("thread_spawn", "depth") > 1:
		return cmp.Or(session, parent, own)
	}
	return cmp.Or(parent, session, own)
}

// threadOf returns the thread of a hook's input, or "" if it is unknown. The name of a transcript's file ends with the ID of the session or subagent that the file records.
func threadOf(in hookio.Input) string {
	const dated, id = len("rollout-2006-01-02T15-04-05-"), len("01a20ad2-a069-72b0-b69d-5bac553a42aa")
	file := cmp.Or(in.AgentTranscriptPath, in.TranscriptPath)
	name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
	if len(name) != dated+id || strings.Trim(name[dated:], "0123456789abcdef-") != "" {
		return ""
	}
	if name[dated:] != in.AgentID {
		return name[dated:]
	}
	return CodexThread(FirstLine(file).Get("payload"))
}

// FirstLine returns the object in a transcript's first line, or a missing Value, also if the line exceeds maxMeta bytes.
func FirstLine(file string) hookio.Value {
	f, err := os.Open(file)
	if err != nil {
		return hookio.Value{}
	}
	defer func() { _ = f.Close() }()
	line, _ := bufio.NewReader(io.LimitReader(f, maxMeta)).ReadBytes('\n') // a cut line is not an object
	first, _ := hookio.ParseObject(line)
	return first
}

// codexExitCode returns the exit code of the shell command with a call ID, if the transcript has it.
func codexExitCode(transcript, call string) (code int64, known bool) {
	if call == "" {
		return 0, false
	}
	item := LastLine(transcript, func(entry hookio.Value) bool {
		item := entry.Get("payload", "item")
		return item.String("type") == "CommandExecution" && item.String("id") == call && item.Get("exit_code").Kind == hookio.Number
	}, `"CommandExecution"`, call).Get("payload", "item")
	return item.Int("exit_code"), item.Kind == hookio.Object
}

// Summary returns a compaction's summary without the sentences that a client puts in front for the next model.
func Summary(message string) string {
	for begins, end := range map[string]string{
		"Another language model started to solve this problem": ":\n", "This session is being continued": "\n\n",
	} {
		if _, summary, found := strings.Cut(message, end); found && strings.HasPrefix(message, begins) {
			return summary
		}
	}
	return message
}

// LastLine returns the last object that has all the texts and that isWanted accepts, from the end of a transcript, or a missing Value.
func LastLine(file string, isWanted func(entry hookio.Value) bool, texts ...string) hookio.Value {
	for _, size := range tails {
		tail, err := end(file, size)
		if err != nil {
			return hookio.Value{}
		}
		if found := lastLineIn(tail, isWanted, texts...); found.Kind != hookio.Missing || int64(len(tail)) < size {
			return found
		}
	}
	return hookio.Value{}
}

// lastLineIn does what LastLine does, in a part of a transcript.
func lastLineIn(part []byte, isWanted func(entry hookio.Value) bool, texts ...string) hookio.Value {
	for len(part) > 0 {
		start := bytes.LastIndexByte(part[:len(part)-1], '\n') + 1
		line := part[start:]
		if !slices.ContainsFunc(texts, func(text string) bool { return !bytes.Contains(line, []byte(text)) }) {
			if entry, err := hookio.ParseObject(line); err == nil && isWanted(entry) {
				return entry
			}
		}
		part = part[:start]
	}
	return hookio.Value{}
}

// end returns the last bytes of a regular file, at most size.
func end(file string, size int64) ([]byte, error) {
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() { // opening a pipe would block
		err = fs.ErrInvalid
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-size), size))
}
