package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// rollout reads a transcript of Codex, a "rollout". It reads commands and changes of files from their items, which Codex
// 0.169.0 writes, and not from the calls of tools.
type rollout struct {
	origin
	subagent string         // type of the subagent, if the assistant started this session
	task     string         // task that the subagent was given
	recent   [2][]utterance // utterances since the other side spoke: of the assistant, of the user
	forks    Forks
	id       string // the transcript's ID; a subagent's transcript has another session
	history  string // session that the beginning was copied from, or the transcript's own
	prompts  prompts
	times    map[string]int // how often each prompt occurred
	said     int            // number of prompts so far
}

func newRollout(forks Forks) Reader {
	return &rollout{forks: forks, times: map[string]int{}}
}

// prompts merges the two places in which a transcript has a prompt. The traffic with the model has all prompts, but also texts of the client.
// The events lack prompts that were typed while the assistant worked.
type prompts struct {
	held  []Entry  // prompts of the traffic that have no event yet
	alone []string // prompts of events that have no traffic yet
}

// isSame reports whether an event has the same text as the traffic. In the traffic names of pictures may precede the text.
func isSame(event, traffic string) bool {
	event, traffic = strings.Join(strings.Fields(event), " "), strings.Join(strings.Fields(traffic), " ")
	return event != "" && strings.HasSuffix(traffic, event)
}

func (p *prompts) sent(e Entry) {
	at := slices.IndexFunc(p.alone, func(event string) bool { return isSame(event, e.Prompt) })
	if at >= 0 {
		p.alone = slices.Delete(p.alone, at, at+1)
		return
	}
	p.held = append(p.held, e)
}

func (p *prompts) announced(text string) {
	at := slices.IndexFunc(p.held, func(e Entry) bool { return isSame(text, e.Prompt) })
	if at >= 0 {
		p.held = slices.Delete(p.held, at, at+1)
		return
	}
	p.alone = append(p.alone, text)
}

// form is a form of the messages in a transcript. Versions of Codex write a message in one or several forms, and a
// resumed transcript continues in the forms of the resuming version.
type form int

const (
	asItems form = 1 << iota
	asMessages
	asTraffic // messages of the traffic with the model
)

// utterance is a message, with the forms in which it was read.
type utterance struct {
	text  string
	forms form
}

// isRepeated reports whether a message was already read in another form. It remembers a new message.
func (r *rollout) isRepeated(in form, byUser bool, text string) bool {
	who, other := &r.recent[0], &r.recent[1]
	if byUser {
		who, other = other, who
	}
	text = strings.Join(strings.Fields(text), " ")
	for i := range *who {
		if one := &(*who)[i]; one.text == text && one.forms&in == 0 {
			one.forms |= in
			return true
		}
	}
	*who, *other = append(*who, utterance{text, in}), nil
	return false
}

// rolloutLine has the fields of a line that are used.
type rolloutLine struct {
	Timestamp moment          `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

func (r *rollout) Entries(text []byte) ([]Entry, error) {
	var line rolloutLine
	if err := understood(text, &line); err != nil {
		return nil, err
	}
	switch line.Type {
	case "session_meta":
		return nil, r.meta(line.Payload)
	case "event_msg":
		return r.event(line)
	case "response_item":
		return r.item(line)
	case "compacted":
		var p struct{ Message string }
		if understood(line.Payload, &p) == nil && p.Message != "" {
			return r.message(line.Timestamp.Time, Entry{ID: "compacted", Summary: client.Summary(p.Message)}), nil
		}
	}
	return nil, nil
}

// message returns an entry of this transcript, after the prompts that wait for a missing event.
func (r *rollout) message(at time.Time, e Entry) []Entry {
	e.History, e.ByText = r.history, true
	return append(r.Rest(), r.origin.message(at, e)...)
}

func (r *rollout) uses(at time.Time, uses []Use) []Entry {
	if len(uses) == 0 {
		return nil
	}
	return r.message(at, Entry{Uses: uses})
}

// Rest returns the prompts of the traffic that have no event.
func (r *rollout) Rest() (rest []Entry) {
	held := r.prompts.held
	r.prompts.held = nil
	for _, e := range held {
		rest = append(rest, r.prompt(e.At, e.Prompt)...)
	}
	return rest
}

func (r *rollout) prompt(at time.Time, text string) []Entry {
	text = strings.TrimSpace(text)
	r.said++
	r.times[text]++
	return r.origin.message(at, Entry{ID: fmt.Sprint("prompt ", r.times[text]), Prompt: text, History: r.history, ByText: true})
}

// rolloutMeta is the payload of the line that identifies a transcript.
type rolloutMeta struct {
	SessionID word            `json:"session_id"`
	ID        word            `json:"id"`
	Forked    word            `json:"forked_from_id"`
	CWD       string          `json:"cwd"`
	Role      string          `json:"agent_role"`
	Source    json.RawMessage `json:"source"`
	By        string          `json:"originator"`
}

// line returns the information on who types in the session. A program that starts a session names itself as the originator.
func (m rolloutMeta) line() speaker.Line {
	var source string
	var custom struct{ Custom string }
	if json.Unmarshal(m.Source, &source) != nil && json.Unmarshal(m.Source, &custom) == nil {
		source = cmp.Or(custom.Custom, "unknown")
	}
	switch {
	case strings.HasPrefix(m.By, "codex_sdk"):
		source = m.By
	case m.By == "codex_exec": // its source may be "cli"
		source = "exec"
	}
	return speaker.Line{Entrypoint: source}
}

// meta reads the session of a transcript, which is its thread. A fork repeats the beginning of another session with other times.
// Its first line of this kind identifies the fork; later lines of this kind identify the sessions that it repeats.
func (r *rollout) meta(payload json.RawMessage) error {
	var p rolloutMeta
	if understood(payload, &p) != nil {
		return errContent
	}
	if r.session != "" {
		if id := string(p.ID); id != r.id && id != "" && r.said == 0 && !r.isAside {
			r.history = id
		}
		return nil
	}
	r.id = string(cmp.Or(p.ID, p.SessionID))
	meta, _ := hookio.ParseObject(payload) // the payload was parsed before, so this cannot fail
	r.session, r.dir, r.line = cmp.Or(client.CodexThread(meta), r.id), p.CWD, p.line()
	if bytes.HasPrefix(p.Source, []byte(`{"subagent"`)) {
		r.subagent, r.isAside, r.line = cmp.Or(p.Role, "default"), true, speaker.Line{}
	}
	r.history = cmp.Or(r.forks.origin(r.session, string(p.Forked)), r.session)
	return nil
}

// Forks maps each session of Codex that is a fork to the session that was forked. Readers add what they read; a nil map keeps nothing.
type Forks map[string]string

// origin returns the session at the beginning of a session's chain of forks, as far as its transcripts were read.
func (f Forks) origin(session, parent string) string {
	if f != nil {
		f[session] = parent
	}
	for range f { // a chain has at most len(f) steps, but may be a circle
		parent = cmp.Or(f[parent], parent)
	}
	return parent
}

// item is a message, a command or a change of files in newer versions.
type item struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	Content json.RawMessage `json:"content"`
	Command json.RawMessage `json:"command"`
	Status  string          `json:"status"`
	Output  string          `json:"aggregated_output"`
	Exit    *int            `json:"exit_code"`
	Changes map[string]fileChange
}

type fileChange struct {
	Type    string `json:"type"`
	Content string `json:"content"`
	Diff    string `json:"unified_diff"`
	MovedTo string `json:"move_path"`
}

func (r *rollout) event(line rolloutLine) ([]Entry, error) {
	var p struct {
		Type    string          `json:"type"`
		Message json.RawMessage `json:"message"`
		Item    item            `json:"item"`
		TurnID  string          `json:"turn_id"`
		Last    string          `json:"last_agent_message"`
		Turns   int             `json:"num_turns"`
	}
	if understood(line.Payload, &p) != nil {
		return nil, nil
	}
	switch p.Type {
	case "item_completed":
		return r.completed(line.Timestamp.Time, p.Item)
	case "user_message", "agent_message":
		return r.speech(line.Timestamp.Time, asMessages, p.Type == "user_message", p.Message)
	case "thread_rolled_back":
		return append(r.Rest(), Entry{TakesBack: p.Turns}), nil
	case "task_complete":
		if r.subagent != "" && p.Last != "" {
			return r.uses(line.Timestamp.Time, []Use{{
				ID: "report " + p.TurnID, Name: "Agent",
				Input: map[string]string{"subagent_type": r.subagent, "prompt": r.task}, Output: p.Last,
			}}), nil
		}
		return r.Rest(), nil
	}
	return nil, nil
}

func (r *rollout) completed(at time.Time, i item) ([]Entry, error) {
	switch i.Type {
	case "UserMessage", "AgentMessage":
		return r.speech(at, asItems, i.Type == "UserMessage", i.Content)
	case "CommandExecution":
		if i.Exit == nil || *i.Exit < 0 { // the command was killed with the session, so its outcome is unknown
			return nil, nil
		}
		return r.uses(at, []Use{ran(i.ID, commandOf(i.Command), *i.Exit, i.Output)}), nil
	case "FileChange":
		if i.Status == "completed" {
			return r.uses(at, changed(i.ID, i.Changes)), nil
		}
	}
	return nil, nil
}

// speech returns the entries of a prompt or of the assistant's words in an event. The first prompt of a subagent is its task.
func (r *rollout) speech(at time.Time, in form, byUser bool, content json.RawMessage) ([]Entry, error) {
	parts, err := blocks(content)
	if err != nil {
		return nil, err
	}
	if !byUser {
		return r.words(at, in, textOf(parts)), nil
	}
	text := typedIn(parts, r.line)
	if r.subagent != "" {
		r.task = cmp.Or(r.task, text)
	}
	if text == "" || r.isRepeated(in, byUser, text) {
		return nil, nil
	}
	r.prompts.announced(text)
	return append(r.Rest(), r.prompt(at, text)...), nil
}

func (r *rollout) words(at time.Time, in form, text string) []Entry {
	rest := r.Rest() // prompts before the words
	if text == "" || r.isRepeated(in, false, text) {
		return rest
	}
	r.prompts.alone = nil // traffic of these prompts would have come before the answer, so it will not come any more
	return append(rest, r.message(at, Entry{ID: fmt.Sprint("words ", r.said), Words: text})...)
}

// item reads a message of the traffic with the model.
func (r *rollout) item(line rolloutLine) ([]Entry, error) {
	var p struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	_ = understood(line.Payload, &p) // a payload that is not an object is not a message
	parts, err := blocks(p.Content)
	switch {
	case p.Type != "message":
	case p.Role == "user" && err != nil:
		return nil, err
	case p.Role == "user":
		text := typedIn(parts, r.line)
		if r.subagent != "" {
			r.task = cmp.Or(r.task, text)
		} else if text != "" {
			r.prompts.sent(Entry{At: line.Timestamp.Time, Prompt: text})
		}
	case p.Role == "assistant":
		return r.words(line.Timestamp.Time, asTraffic, textOf(parts)), nil
	}
	return nil, nil
}

// commandOf returns a shell command, given as words or as a text, without the shell that runs it.
func commandOf(command json.RawMessage) (text string) {
	var words []string
	switch err := json.Unmarshal(command, &words); {
	case err != nil:
		_ = json.Unmarshal(command, &text) // anything else is unknown
		return text
	case len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c"):
		return words[2]
	}
	return strings.Join(words, " ")
}

// changed returns a use for each changed file, in the order of their names, without deletions.
func changed(id string, changes map[string]fileChange) (all []Use) {
	for _, path := range slices.Sorted(maps.Keys(changes)) {
		change, one := changes[path], Use{ID: fmt.Sprintf("%s/%d", id, len(all))}
		path = cmp.Or(change.MovedTo, path)
		switch change.Type {
		case "add":
			one.Name, one.Input = "Write", map[string]string{"file_path": path, "content": change.Content}
		case "update":
			before, after := client.Replaced(change.Diff)
			one.Name, one.Input = "Edit", map[string]string{"file_path": path, "old_string": before, "new_string": after}
		default:
			continue
		}
		all = append(all, one)
	}
	return all
}
