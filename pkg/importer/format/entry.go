package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// Entry is the content of one line of a transcript.
type Entry struct {
	ID           string
	At           time.Time // zero: time of the previous entry
	Session, Dir string
	Origin       string // the session from which the line was copied; empty if the line is no copy, or does not say so
	// History is the scope in which ID and the IDs of Uses are unique; all copies of a transcript have the same. If it is
	// empty, the IDs are UUIDs, or unique together with At and the texts.
	History string
	ByText  bool // ID is unique only together with the texts
	// Own is the ID of the line, After the ID of the line before it in the conversation; if that is unknown, of the line before it in the file.
	Own, After string
	IsAside    bool // belongs to a subagent
	IsMessage  bool // message of the user, the assistant or a tool; a session begins with a message
	Line       speaker.Line
	Prompt     string
	Words      string // the assistant's last words
	Uses       []Use
	Summary    string // summary of a compaction
	Trigger    string // trigger of the compaction
	TakesBack  int    // number of last prompts that the user took back by returning to an earlier point
}

// errContent means that the content of a message has an unsupported form.
var errContent = errors.New("its content has an unsupported form")

// Use is the use of a tool with its result, under the name and input of Claude Code's tool for the same work.
type Use struct {
	ID       string
	Name     string
	Input    any             // JSON object
	Response json.RawMessage // structure of the result; if it is not an object, Output is the whole result
	Output   string
	Failed   bool
}

// Reader reads the lines of one transcript in their order.
type Reader interface {
	// Entries returns the entries of a line. It fails if the line is neither a JSON object nor null, or an unsupported message.
	Entries(line []byte) ([]Entry, error)
	// Start returns the session and the directory of the transcript, once a line has them.
	Start() (session, dir string)
	// Rest returns, at the end of the file, the entries that wait for a later line to decide about them.
	Rest() []Entry
}

// origin identifies the session of a transcript.
type origin struct {
	session, dir string
	isAside      bool // the transcript is a subagent's; session is the session that started the subagent
	line         speaker.Line
}

func (o *origin) Start() (session, dir string) { return o.session, o.dir }

func (o *origin) Rest() []Entry { return nil }

func (o *origin) message(at time.Time, e Entry) []Entry {
	e.At, e.Session, e.Dir, e.IsAside, e.IsMessage = at, o.session, o.dir, o.isAside || e.IsAside, true
	e.Line = o.line
	return []Entry{e}
}

func ran(id, command string, exit int, output string) Use {
	use := Use{ID: id, Name: "Bash", Input: map[string]string{"command": command}, Output: output}
	if exit != 0 {
		use.Failed, use.Output = true, fmt.Sprintf("Exit code %d\n%s", exit, output)
	}
	return use
}

// block is a part of a message.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   flag            `json:"is_error"`
}

// blocks returns the parts of a content: a text, a part, or a list of texts and parts; other members of a list are skipped.
func blocks(content json.RawMessage) ([]block, error) {
	if len(content) == 0 || string(content) == "null" {
		return nil, nil
	}
	list := []json.RawMessage{content}
	if content[0] == '[' && json.Unmarshal(content, &list) != nil {
		return nil, errContent
	}
	var all []block
	for _, one := range list {
		b := block{Type: "text"}
		if json.Unmarshal(one, &b.Text) != nil {
			b = block{}
			if understood(one, &b) != nil {
				continue
			}
		}
		all = append(all, b)
	}
	if len(all) == 0 && len(list) > 0 {
		return nil, errContent
	}
	return all, nil
}

// texts returns the texts of the text parts. Codex has several types of text parts.
func texts(all []block) (texts []string) {
	for _, b := range all {
		switch b.Type {
		case "text", "Text", "input_text", "output_text":
			if b.Text != "" {
				texts = append(texts, b.Text)
			}
		}
	}
	return texts
}

func textOf(all []block) string { return strings.Join(texts(all), "\n") }

// typedIn returns the text that the user typed, without parts that clients add, such as notices and the state of the
// editor. line is the client's information on who typed.
func typedIn(all []block, line speaker.Line) string {
	var typed []string
	for _, text := range texts(all) {
		if text = speaker.Typed(text, line); text != "" {
			typed = append(typed, text)
		}
	}
	return strings.Join(typed, "\n")
}

// understood decodes a JSON object into the fields of v whose types match. It ignores other fields, so that one odd
// field does not make the whole line unusable. It fails if data is not a JSON object or null.
func understood(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var odd *json.UnmarshalTypeError
	if errors.As(err, &odd) && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return nil
	}
	return err
}

// moment is a time, written as RFC 3339. It is zero for anything else.
type moment struct{ time.Time }

func (m *moment) UnmarshalJSON(data []byte) error {
	m.Time, _ = time.Parse(time.RFC3339, scalar(data)) // zero after an error
	return nil
}

// flag is a boolean: false for false, "no", 0, empty and null, else true. A flag says that a text is not the user's, so odd values must say it, too.
type flag bool

func (f *flag) UnmarshalJSON(data []byte) error {
	switch scalar(data) {
	case "", "false", "no", "0":
		*f = false
	default:
		*f = true
	}
	return nil
}

// word is a string. Another value is kept as its JSON: an ID is still the same each time, and a speaker is unknown.
type word string

func (w *word) UnmarshalJSON(data []byte) error {
	*w = word(scalar(data))
	return nil
}

// scalar returns the text of a JSON string, "" for null, and the JSON of any other value.
func scalar(data []byte) string {
	var text string
	if string(data) != "null" && json.Unmarshal(data, &text) != nil {
		return string(data)
	}
	return text
}
