package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// UserPromptSubmit records each prompt of the user without its private parts, gives the model the memories that fit it,
// and shows the user once how many memories were kept of this session.
var UserPromptSubmit = hook.Hook{
	Event: hookio.UserPromptSubmit,
	Run:   runUserPromptSubmit,
}

func runUserPromptSubmit(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	if call.Input.AgentID != "" { // a task that the assistant gives a subagent, not a prompt of the user
		return hookio.Output{}, nil
	}
	markBusy(call)
	endCalls(call)
	occurrence := call.Occurrence()
	prompt := describe.Prompt(call.Input.Prompt, speaker.Line{})
	if prompt == "" {
		return hookio.Output{}, nil
	}
	params := daemonapi.RecallParams{
		Purpose: daemonapi.ForPrompt, Text: prompt, TokenBudget: call.Config.Hooks.PromptTokens, MaxLines: call.Config.Hooks.PromptLines,
	}
	if !occurrence.Line.IsTyped() || isAgents(call) || isScheduled(call) { // written by a program or a file, not by the user
		return recall(ctx, call, params)
	}
	event := describe.New(occurrence, memory.EventPrompt)
	event.Prompt = prompt
	if call.Client == "" { // Codex has no mods, and names no speaker
		event.Transcript = describe.Name(call.Input.TranscriptPath)
		event.Unsure = event.Transcript != ""
	}
	if occurrence.Line.IsPrint() {
		// The first prompt of print mode may be the initialUserMessage of a hook that a repository brings.
		event.Prompt = speaker.Piped(prompt, isPiped(call) || consent.HasHook(call.Project, hookio.SessionStart, ""))
	}
	if output, is, err := startLate(ctx, call, event); is {
		return output, err
	}
	if language.IsContinuation(prompt) {
		return hookio.Output{}, store(ctx, call, event)
	}
	params.Hint, params.ReportKept = true, call.Config.Hooks.Notices
	return recallAndStore(ctx, call, params, event)
}

// isPiped reports whether all of a prompt of print mode was piped into the client: no argument of the client contains the prompt's first
// line. It returns false if the client's arguments are unknown, or if they say that prompts come as messages on its input (stream-json).
// White space does not count, because some systems return the arguments without their own.
func isPiped(call *hook.Call) bool {
	first, _, _ := strings.Cut(call.Input.Prompt, "\n")
	if first = memory.OneLine(first); first == "" {
		return true
	}
	running, isKnown := process.Find(call.ClientPID())
	arguments := memory.OneLine(strings.Join(running.Args, " "))
	return isKnown && call.Client == "" && !strings.Contains(arguments, "stream-json") && !strings.Contains(arguments, first)
}

// mostHead is the number of bytes of a transcript in which isAgents looks for an earlier prompt.
const mostHead = 1 << 20

// isAgents reports whether a prompt may begin with the initialPrompt of an agent of the project. The client submits this text as the
// session's first prompt, or before the words of the first prompt. A repository can choose both the agent and the text.
func isAgents(call *hook.Call) bool {
	if call.Input.AgentType == "" {
		return false
	}
	if file, err := os.Open(call.Input.TranscriptPath); err == nil {
		head, _ := io.ReadAll(io.LimitReader(file, mostHead)) // what cannot be read has no earlier prompt
		_ = file.Close()
		if bytes.Contains(head, []byte(`"type":"user"`)) {
			return false
		}
	}
	return slices.ContainsFunc(clientFolders(call), func(folder string) (has bool) {
		_ = filepath.WalkDir(filepath.Join(folder, "agents"), func(path string, entry fs.DirEntry, err error) error { // what cannot be read has no agents
			has = has || err == nil && !entry.IsDir() && mayBeginSession(path)
			return nil
		})
		return has
	})
}

// clientFolders returns the client's folders in the project's root, in the session's directory and in those between.
func clientFolders(call *hook.Call) []string {
	root, dir := call.Project.Root, call.Input.CWD
	folders := []string{filepath.Join(root, ".claude"), filepath.Join(dir, ".claude")}
	for root != "" && strings.HasPrefix(dir, root+string(filepath.Separator)) {
		dir = filepath.Dir(dir)
		folders = append(folders, filepath.Join(dir, ".claude"))
	}
	return folders
}

// mayBeginSession reports whether an agent's file may have an initialPrompt: its head has this word or may write it with escapes, or cannot be read.
func mayBeginSession(file string) bool {
	text, is := smallFile(file)
	_, head, _ := strings.Cut(string(text), "---")
	for line := range strings.Lines(strings.ReplaceAll(head, "\r", "\n")) {
		line = strings.TrimSpace(line)
		key, _, _ := strings.Cut(line, ":")
		isOdd := strings.Contains(key, `\`) || line != "" && strings.Contains("{!&?", line[:1])
		switch {
		case line == "---":
			return false
		case isOdd || strings.Contains(line, "initialPrompt"):
			return true
		}
	}
	return !is
}

// smallFile returns the content of a regular file of at most mostHead bytes, and whether it could be read.
func smallFile(path string) ([]byte, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostHead { // reading a pipe would block
		return nil, false
	}
	text, err := os.ReadFile(path)
	return text, err == nil
}

// isScheduled reports whether a prompt stands in a schedule of the project, which the client fires as if the user had typed it.
func isScheduled(call *hook.Call) bool {
	return slices.ContainsFunc(clientFolders(call), func(folder string) bool {
		text, _ := smallFile(filepath.Join(folder, "scheduled_tasks.json")) // what cannot be read schedules nothing
		var file struct{ Tasks []struct{ Prompt string } }
		_ = json.Unmarshal(text, &file)
		return slices.ContainsFunc(file.Tasks, func(task struct{ Prompt string }) bool {
			return memory.OneLine(task.Prompt) == memory.OneLine(call.Input.Prompt)
		})
	})
}
