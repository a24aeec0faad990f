package importer

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// isOpenCodeSession tells a session of OpenCode by its name, which package opencodedb makes: DATABASE#SESSION.
func isOpenCodeSession(file string) bool { return strings.Contains(file, ".db#ses_") }

// openCodeSession reads the lines that package opencodedb makes: the session, then the parts of its messages.
type openCodeSession struct {
	session, dir string
	isSubagent   bool
}

func newOpenCodeSession(string) format { return &openCodeSession{} }

func (o *openCodeSession) start() (session, dir string) { return o.session, o.dir }

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

func (o *openCodeSession) entries(text []byte) ([]entry, error) {
	var line struct {
		Session   string       `json:"session"`
		Parent    string       `json:"parent"`
		Directory string       `json:"directory"`
		ID        string       `json:"id"`
		Role      string       `json:"role"`
		Time      int64        `json:"time"` // milliseconds
		Part      openCodePart `json:"part"`
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, err
	}
	var all []entry
	switch {
	case line.Session != "":
		o.session, o.dir, o.isSubagent = line.Session, line.Directory, line.Parent != ""
		if o.isSubagent {
			o.session = line.Parent
		}
	case line.Part.Type == "tool":
		all = line.Part.used()
	case line.Part.Type != "text" || line.Part.Synthetic:
	case line.Role == "user":
		all = []entry{{Type: "user", UUID: line.ID, Message: message{raw(client.OpenCodePrompt(line.Part.Text))}}}
	default:
		all = []entry{{Type: "assistant", UUID: line.ID, Message: message{raw(line.Part.Text)}}}
	}
	for i := range all {
		all[i].SessionID, all[i].CWD, all[i].Timestamp, all[i].IsSidechain = o.session, o.dir, time.UnixMilli(line.Time).UTC(), o.isSubagent
	}
	return all, nil
}

// used is the use of a tool under the name and with the input that Claude Code has for the same work.
func (p openCodePart) used() []entry {
	name, known := client.OpenCodeTool(p.Tool)
	var input struct {
		Command, Content, Prompt string
		File                     string `json:"filePath"`
		Before                   string `json:"oldString"`
		After                    string `json:"newString"`
		Patch                    string `json:"patchText"`
		Agent                    string `json:"subagent_type"`
	}
	if !known || p.State.Status != "completed" || json.Unmarshal(p.State.Input, &input) != nil {
		return nil
	}
	switch name {
	case "Bash":
		if exit := p.State.Metadata.Exit; exit != nil && *exit >= 0 {
			return ran(p.CallID, input.Command, *exit, p.State.Metadata.Output)
		}
		return nil
	case "Read":
		return use(p.CallID, name, map[string]string{"file_path": input.File}, block{})
	case "Edit", "Write":
		return edited(p.CallID, client.PatchedFile{Path: input.File, IsNew: name == "Write", Before: input.Before, After: input.After + input.Content})
	case "apply_patch":
		return patched(p.CallID, input.Patch)
	case "Agent":
		report := client.OpenCodeReport(p.State.Output)
		return use(p.CallID, name, map[string]string{"subagent_type": input.Agent, "prompt": input.Prompt}, block{Content: raw(report)})
	}
	return use(p.CallID, name, p.State.Input, block{Content: raw(p.State.Output)})
}
