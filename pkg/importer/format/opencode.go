package format

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// isOpenCodeSession recognises a session of OpenCode by its name from package sqlite: DATABASE#SESSION.
func isOpenCodeSession(file string) bool { return strings.Contains(file, ".db#ses_") }

// openCodeSession reads the lines that package sqlite makes: the session, then the parts of its messages.
type openCodeSession struct{ origin }

func newOpenCodeSession(string) Reader { return &openCodeSession{} }

// openCodePart is a part of a message, as far as it is understood.
type openCodePart struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"`
	Tool      string `json:"tool"`
	CallID    string `json:"callID"`
	State     struct {
		Status   string          `json:"status"`
		Input    json.RawMessage `json:"input"`
		Output   string          `json:"output"`
		Metadata struct {
			Output string `json:"output"`
			Exit   *int   `json:"exit"`
		} `json:"metadata"`
	} `json:"state"`
}

func (o *openCodeSession) Entries(text []byte) ([]Entry, error) {
	var line struct {
		Session   string       `json:"session"`
		Parent    string       `json:"parent"`
		Directory string       `json:"directory"`
		ID        string       `json:"id"`
		Role      string       `json:"role"`
		Time      int64        `json:"time"`    // milliseconds
		Created   int64        `json:"created"` // the message, in milliseconds; a copy keeps it
		Part      openCodePart `json:"part"`
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, err
	}
	at := time.UnixMilli(line.Time).UTC()
	said := Entry{ID: line.ID}
	if line.Created > 0 {
		said.ID, said.History, said.ByText = fmt.Sprint(line.Created), client.OpenCode, true
	}
	switch {
	case line.Session != "":
		o.session, o.dir, o.isAside = cmp.Or(line.Parent, line.Session), line.Directory, line.Parent != ""
	case line.Part.Type == "tool":
		if said.Uses = line.Part.uses(); len(said.Uses) == 0 {
			return nil, nil
		}
		return o.message(at, said), nil
	case line.Part.Type != "text" || line.Part.Synthetic:
	case line.Role == "user":
		said.Prompt = client.Typed(client.OpenCodePrompt(line.Part.Text))
		return o.message(at, said), nil
	default:
		said.Words = line.Part.Text
		return o.message(at, said), nil
	}
	return nil, nil
}

func (p openCodePart) uses() []Use {
	use, known := toolUse(client.OpenCode, p.CallID, p.Tool, p.State.Input)
	if !known || p.State.Status != "completed" {
		return nil
	}
	switch use.Name {
	case "Bash":
		exit := p.State.Metadata.Exit
		if exit == nil || *exit < 0 {
			return nil
		}
		use = use.ended(*exit, p.State.Metadata.Output)
	case "apply_patch":
		var input struct {
			Patch string `json:"patchText"`
		}
		_ = json.Unmarshal(p.State.Input, &input) // without a text it changes nothing
		return edited(p.CallID, client.PatchedFiles(input.Patch)...)
	case "Agent":
		use.Output = client.OpenCodeReport(p.State.Output)
	default:
		use.Output = p.State.Output
	}
	return []Use{use}
}
