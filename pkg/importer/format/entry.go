package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// Entry is a line of a transcript.
type Entry struct {
	ID           string
	At           time.Time // zero: that of the entry before
	Session, Dir string
	// History is the scope in which ID and the ids of Uses are unique, also in copies. Empty: they are UUIDs, or unique
	// with At and the texts.
	History string
	ByText  bool // ID is unique with the texts only
	// Own and After are the ids of the line and of the one that it follows in the conversation. An unknown After: it follows the line before.
	Own, After string
	IsAside    bool // it is of a subagent
	IsMessage  bool // of the user, the assistant or a tool: a session begins with one
	Line       speaker.Line
	Prompt     string
	Words      string // the assistant's last ones
	Uses       []Use
	Summary    string // of a compaction
	Trigger    string // of that
	TakesBack  int    // so many of the last prompts: the user returned to a point before them
}

// errContent: a message has a content in an unsupported form.
var errContent = errors.New("its content has an unsupported form")

// Use is the use of a tool with its result, under the name and with the input that Claude Code has for the same work.
type Use struct {
	ID       string
	Name     string
	Input    any             // a JSON object
	Response json.RawMessage // the structure of the result; not an object: Output is all of it
	Output   string
	Failed   bool
}

// Reader reads the lines of one transcript, in their order.
type Reader interface {
	// Entries returns the entries of a line. The error is that it is no JSON object, or an unsupported message; null
	// counts as an empty object.
	Entries(line []byte) ([]Entry, error)
	// Start returns the session of the transcript and its directory, once a line has them.
	Start() (session, dir string)
}

// Holder is a Reader that holds entries back until a later line decides about them. Rest returns those still held at
// the end of the file.
type Holder interface{ Rest() []Entry }

// origin identifies the session of a transcript.
type origin struct {
	session, dir string
	isAside      bool // it belongs to a subagent, and the session is that of its starter
	line         speaker.Line
}

func (o *origin) Start() (session, dir string) { return o.session, o.dir }

// message is an entry of this origin.
func (o *origin) message(at time.Time, e Entry) []Entry {
	e.At, e.Session, e.Dir, e.IsAside, e.IsMessage = at, o.session, o.dir, o.isAside || e.IsAside, true
	e.Line = o.line
	return []Entry{e}
}

// ran is a shell command that ended.
func ran(id, command string, exit int, output string) Use {
	return Use{ID: id, Name: "Bash", Input: map[string]string{"command": command}}.ended(exit, output)
}

// ended is the use of a shell with its outcome.
func (u Use) ended(exit int, output string) Use {
	if u.Output = output; exit != 0 {
		u.Failed, u.Output = true, fmt.Sprintf("Exit code %d\n%s", exit, output)
	}
	return u
}

// edited are the files that a patch changed.
func edited(id string, files ...client.PatchedFile) (all []Use) {
	for n, f := range files {
		one := Use{
			ID: fmt.Sprintf("%s/%d", id, n), Name: "Edit",
			Input: map[string]string{"file_path": f.Path, "old_string": f.Before, "new_string": f.After},
		}
		if f.IsNew {
			one.Name, one.Input = "Write", map[string]string{"file_path": f.Path, "content": f.After}
		}
		all = append(all, one)
	}
	return all
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

// blocks are the parts of a content: a text, a part, or a list of both; anything else in a list is left out. A message without a content has
// none.
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

// texts are those of the parts that are texts. Codex has several types of them.
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

// typedIn is the text that the user typed, in parts of which the client says so much: clients put the state of the editor and their
// own notices into parts beside it.
func typedIn(all []block, line speaker.Line) string {
	var typed []string
	for _, text := range texts(all) {
		if text = speaker.Typed(text, line); text != "" {
			typed = append(typed, text)
		}
	}
	return strings.Join(typed, "\n")
}
