package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// isRollout tells a transcript of Codex, by its name, from one of Claude Code.
func isRollout(file string) bool { return strings.HasPrefix(filepath.Base(file), "rollout-") }

// rollout reads a transcript of Codex ("rollout") and makes entries of its lines. Newer versions (0.169.0) have an item for each command and change of files, older ones only the calls of tools
// and their results; a call that has an item is not read twice.
type rollout struct {
	origin
	subagent string // its type, if the assistant started this session
	task     string // that the subagent was given
	calls    map[string]call
	told     map[string]bool // calls whose outcome was made an entry
	form     messageForm
}

func newRollout(string) Reader {
	return &rollout{calls: map[string]call{}, told: map[string]bool{}}
}

// call is a call of a tool that has not come back.
type call struct {
	command string // of a shell
	patch   string
}

// messageForm is the form of the messages in a transcript.
type messageForm int

const (
	unknownForm messageForm = iota
	asItems
	asMessages
)

// rolloutLine is a line of a rollout, as far as it is understood.
type rolloutLine struct {
	Timestamp time.Time       `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

func (r *rollout) Entries(text []byte) ([]Entry, error) {
	var line rolloutLine
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, err
	}
	switch line.Type {
	case "session_meta":
		r.meta(line.Payload)
	case "event_msg":
		return r.event(line), nil
	case "response_item":
		return r.uses(line.Timestamp, r.response(line.Payload)), nil
	case "compacted":
		var p struct{ Message string }
		if json.Unmarshal(line.Payload, &p) == nil && p.Message != "" {
			return r.message(line.Timestamp, Entry{ID: "compacted " + stamp(line), Summary: client.CodexSummary(p.Message)}), nil
		}
	}
	return nil, nil
}

func stamp(line rolloutLine) string { return line.Timestamp.UTC().Format(time.RFC3339Nano) }

// meta reads whose transcript it is. That of a subagent belongs to the session of whoever started it. A forked
// session repeats the beginning of the other: the first one counts.
func (r *rollout) meta(payload json.RawMessage) {
	var p struct {
		SessionID string          `json:"session_id"`
		ID        string          `json:"id"`
		Parent    string          `json:"parent_thread_id"`
		CWD       string          `json:"cwd"`
		Role      string          `json:"agent_role"`
		Source    json.RawMessage `json:"source"`
	}
	if r.session != "" || json.Unmarshal(payload, &p) != nil {
		return
	}
	r.session, r.dir = p.ID, p.CWD
	if bytes.HasPrefix(p.Source, []byte(`{"subagent"`)) {
		r.subagent, r.isAside = cmp.Or(p.Role, "default"), true
		r.session = cmp.Or(p.Parent, r.session)
	}
	r.session = cmp.Or(p.SessionID, r.session)
}

// item is a message, a command or a change of files, as newer versions have it.
type item struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Content []struct{ Text string }
	Command []string `json:"command"`
	Status  string   `json:"status"`
	Output  string   `json:"aggregated_output"`
	Exit    *int     `json:"exit_code"`
	Changes map[string]fileChange
}

type fileChange struct {
	Type    string  `json:"type"`
	Content string  `json:"content"`
	Diff    string  `json:"unified_diff"`
	MovedTo *string `json:"move_path"`
}

func (r *rollout) event(line rolloutLine) []Entry {
	var p struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Item    item   `json:"item"`
		TurnID  string `json:"turn_id"`
		Last    string `json:"last_agent_message"`
	}
	if json.Unmarshal(line.Payload, &p) != nil {
		return nil
	}
	switch p.Type {
	case "item_completed":
		return r.item(line.Timestamp, p.Item)
	case "user_message", "agent_message":
		if r.isIn(asMessages) {
			return r.said(line.Timestamp, p.Type == "user_message", p.Type+" "+stamp(line), p.Message)
		}
	case "task_complete":
		if r.subagent != "" && p.Last != "" {
			return r.uses(line.Timestamp, []Use{{
				ID: "report " + p.TurnID, Name: "Agent", Input: map[string]string{"subagent_type": r.subagent, "prompt": r.task}, Output: p.Last,
			}})
		}
	}
	return nil
}

// isIn tells whether messages of a form count: those of the form that came first.
func (r *rollout) isIn(form messageForm) bool {
	if r.form == unknownForm {
		r.form = form
	}
	return r.form == form
}

func (r *rollout) item(at time.Time, i item) []Entry {
	switch i.Type {
	case "UserMessage", "AgentMessage":
		if !r.isIn(asItems) {
			return nil
		}
		var texts []string
		for _, part := range i.Content {
			texts = append(texts, part.Text)
		}
		return r.said(at, i.Type == "UserMessage", i.ID, strings.Join(texts, "\n"))
	case "CommandExecution":
		r.told[i.ID] = true
		if i.Exit == nil || *i.Exit < 0 { // it was ended with the session: nobody knows
			return nil
		}
		return r.uses(at, []Use{ran(i.ID, commandIn(i.Command), *i.Exit, i.Output)})
	case "FileChange":
		r.told[i.ID] = true
		if i.Status == "completed" {
			return r.uses(at, edited(i.ID, changed(i.Changes)...))
		}
	}
	return nil
}

// said is a prompt, or words of the assistant. The first prompt of a subagent is its task.
func (r *rollout) said(at time.Time, byUser bool, id, text string) []Entry {
	if !byUser {
		return r.message(at, Entry{ID: id, Words: text})
	}
	if r.subagent != "" {
		r.task = cmp.Or(r.task, text)
	}
	return r.message(at, Entry{ID: id, Prompt: text})
}

// response reads the traffic with the model: calls of tools, and their results.
func (r *rollout) response(payload json.RawMessage) []Use {
	var p struct {
		Type      string          `json:"type"`
		Name      string          `json:"name"`
		CallID    string          `json:"call_id"`
		Arguments string          `json:"arguments"`
		Input     string          `json:"input"`
		Output    json.RawMessage `json:"output"`
		Action    struct{ Command []string }
	}
	if json.Unmarshal(payload, &p) != nil || p.CallID == "" {
		return nil
	}
	switch p.Type {
	case "function_call":
		if c, known := callOf(p.Name, p.Arguments); known {
			r.calls[p.CallID] = c
		}
	case "local_shell_call":
		r.calls[p.CallID] = shellCall(p.Action.Command)
	case "custom_tool_call":
		if p.Name == "apply_patch" {
			r.calls[p.CallID] = call{patch: p.Input}
		}
	case "function_call_output", "custom_tool_call_output":
		c, known := r.calls[p.CallID]
		delete(r.calls, p.CallID)
		exit, output, ended := outcome(p.Output)
		switch {
		case !known || !ended || r.told[p.CallID]:
			return nil
		case c.patch == "":
			return []Use{ran(p.CallID, c.command, exit, output)}
		case exit == 0:
			return edited(p.CallID, client.PatchedFiles(c.patch)...)
		}
	}
	return nil
}

func callOf(name, arguments string) (call, bool) {
	var a struct {
		Cmd     string          `json:"cmd"`
		Input   string          `json:"input"`
		Command json.RawMessage `json:"command"`
	}
	if json.Unmarshal([]byte(arguments), &a) != nil {
		return call{}, false
	}
	switch name {
	case "apply_patch":
		return call{patch: a.Input}, a.Input != ""
	case "exec_command", "shell_command", "shell", "container.exec":
		var words []string
		var text string
		switch {
		case a.Cmd != "":
			return call{command: a.Cmd}, true
		case json.Unmarshal(a.Command, &words) == nil:
			return shellCall(words), true
		case json.Unmarshal(a.Command, &text) == nil:
			return call{command: text}, true
		}
	}
	return call{}, false
}

func shellCall(words []string) call {
	if len(words) == 2 && words[0] == "apply_patch" {
		return call{patch: words[1]}
	}
	return call{command: commandIn(words)}
}

// commandIn is a command without the shell that runs it.
func commandIn(words []string) string {
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	return strings.Join(words, " ")
}

// exited is how the output of a command begins that has ended, since 2025 and before that.
var exited = regexp.MustCompile(`\A(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?(?:Process exited with code|Exit code:) (-?\d+)\n(?:Wall time: .*\n)?(?:Total output lines: .*\n)?(?:Original token count: .*\n)?(?:Output:\n)?`)

// outcome is the exit code and the output in a command's result; ended is false if they are not told.
func outcome(result json.RawMessage) (exit int, output string, ended bool) {
	var text string
	if json.Unmarshal(result, &text) != nil {
		var parts []struct{ Text string }
		if json.Unmarshal(result, &parts) != nil || len(parts) == 0 {
			return 0, "", false
		}
		text = parts[0].Text
	}
	var old struct {
		Output   string
		Metadata *struct {
			ExitCode int `json:"exit_code"`
		}
	}
	if json.Unmarshal([]byte(text), &old) == nil && old.Metadata != nil {
		return old.Metadata.ExitCode, old.Output, old.Metadata.ExitCode >= 0
	}
	found := exited.FindStringSubmatch(text)
	if found == nil {
		return 0, "", false
	}
	exit, err := strconv.Atoi(found[1])
	return exit, text[len(found[0]):], err == nil && exit >= 0
}

// changed are the files that were changed, in the order of their names. A deletion has no counterpart.
func changed(changes map[string]fileChange) (all []client.PatchedFile) {
	for _, path := range slices.Sorted(maps.Keys(changes)) {
		change := changes[path]
		if change.MovedTo != nil {
			path = cmp.Or(*change.MovedTo, path)
		}
		switch change.Type {
		case "add":
			all = append(all, client.PatchedFile{Path: path, IsNew: true, After: change.Content})
		case "update":
			before, after := client.Replaced(change.Diff)
			all = append(all, client.PatchedFile{Path: path, Before: before, After: after})
		}
	}
	return all
}
