package format

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// Entry is a line of a transcript.
type Entry struct {
	ID           string
	At           time.Time // zero: as the one before
	Session, Dir string
	IsAside      bool // it is of a subagent
	IsMessage    bool // of the user, the assistant or a tool: a session begins with one
	Prompt       string
	Words        string // the assistant's last ones
	Uses         []Use
	Summary      string // of a compaction
	Trigger      string // of that
}

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
	// Entries are those of a line. The error says that it is no JSON object; null passes for an empty one.
	Entries(line []byte) ([]Entry, error)
	// Start is the session of the transcript and its directory, once the lines so far tell them.
	Start() (session, dir string)
}

// origin says whose transcript it is.
type origin struct {
	session, dir string
	isAside      bool // it is a subagent's, and the session that of whoever started it
}

func (o *origin) Start() (session, dir string) { return o.session, o.dir }

// message is an entry of this origin.
func (o *origin) message(at time.Time, e Entry) []Entry {
	e.At, e.Session, e.Dir, e.IsAside, e.IsMessage = at, o.session, o.dir, o.isAside || e.IsAside, true
	return []Entry{e}
}

// uses is an entry with uses of tools; none if there are none.
func (o *origin) uses(at time.Time, uses []Use) []Entry {
	if len(uses) == 0 {
		return nil
	}
	return o.message(at, Entry{Uses: uses})
}

// toolUse is the use of a client's tool; known is false for one that does nothing to the project.
func toolUse(of, id, tool string, arguments json.RawMessage) (u Use, known bool) {
	c, _ := client.Named(of)
	name, fields, known := c.Tool(tool)
	var theirs map[string]json.RawMessage
	if !known || json.Unmarshal(arguments, &theirs) != nil {
		return Use{}, false
	}
	ours := theirs
	if len(fields) > 0 {
		ours = map[string]json.RawMessage{}
		for i := 0; i+1 < len(fields); i += 2 {
			if value, has := theirs[fields[i+1]]; has {
				ours[fields[i]] = value
			}
		}
	}
	return Use{ID: id, Name: name, Input: ours}, true
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
		one := Use{ID: fmt.Sprintf("%s/%d", id, n), Name: "Edit", Input: map[string]string{"file_path": f.Path, "old_string": f.Before, "new_string": f.After}}
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
	IsError   bool            `json:"is_error"`
}

// blocks are the parts of a content, which may be one text.
func blocks(content json.RawMessage) []block {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	var all []block
	_ = json.Unmarshal(content, &all) // anything else has no parts
	return all
}

// textOf is the text of those parts that are texts. Gemini's have no type.
func textOf(all []block) string {
	var texts []string
	for _, b := range all {
		if cmp.Or(b.Type, "text") == "text" && b.Text != "" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}
