package importer

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// isCopilotEvents tells a transcript of Copilot CLI by its place: session-state/SESSION/events.jsonl.
func isCopilotEvents(file string) bool {
	return filepath.Base(file) == "events.jsonl" && filepath.Base(filepath.Dir(filepath.Dir(file))) == "session-state"
}

// copilotEvents reads a transcript of Copilot CLI, in which the lines of subagents have their id.
type copilotEvents struct {
	session, dir string
	calls        map[string]copilotCall
}

// copilotCall is a call of a tool that has not come back.
type copilotCall struct {
	Name string          `json:"toolName"`
	Args json.RawMessage `json:"arguments"`
}

func newCopilotEvents(string) format { return &copilotEvents{calls: map[string]copilotCall{}} }

func (c *copilotEvents) start() (session, dir string) { return c.session, c.dir }

func (c *copilotEvents) entries(text []byte) ([]entry, error) {
	var line struct {
		ID        string          `json:"id"`
		Type      string          `json:"type"`
		Timestamp time.Time       `json:"timestamp"`
		AgentID   string          `json:"agentId"`
		Data      json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, err
	}
	var data struct {
		copilotCall
		SessionID string `json:"sessionId"`
		Context   struct {
			CWD string `json:"cwd"`
		} `json:"context"`
		Content string `json:"content"`
		CallID  string `json:"toolCallId"`
	}
	if json.Unmarshal(line.Data, &data) != nil {
		return nil, nil
	}
	var all []entry
	switch line.Type {
	case "session.start":
		if c.session == "" {
			c.session, c.dir = data.SessionID, data.Context.CWD
		}
	case "user.message":
		all = []entry{{Type: "user", UUID: line.ID, Message: message{raw(data.Content)}}}
	case "assistant.message":
		all = []entry{{Type: "assistant", UUID: line.ID, Message: message{raw(data.Content)}}}
	case "tool.execution_start":
		c.calls[data.CallID] = data.copilotCall
	case "tool.execution_complete":
		all = c.used(data.CallID, line.Data)
	}
	for i := range all {
		all[i].SessionID, all[i].CWD, all[i].Timestamp, all[i].IsSidechain = c.session, c.dir, line.Timestamp, line.AgentID != ""
	}
	return all, nil
}

// used is the use of a tool under the name and with the input that Claude Code has for the same work.
func (c *copilotEvents) used(id string, data json.RawMessage) []entry {
	call := c.calls[id]
	delete(c.calls, id)
	name, known := client.CopilotTool(call.Name)
	var done struct {
		Success bool
		Shell   *struct{ ExitCode *int } `json:"shellExecution"`
		Result  struct {
			Content  string
			Detailed string `json:"detailedContent"`
		}
	}
	var args struct {
		Command, Path, Prompt string
		Before                string `json:"old_str"`
		After                 string `json:"new_str"`
		Content               string `json:"file_text"`
		Agent                 string `json:"agent_type"`
	}
	if json.Unmarshal(data, &done) != nil || json.Unmarshal(call.Args, &args) != nil || !known || !done.Success {
		return nil
	}
	switch name {
	case "Bash":
		if done.Shell == nil || done.Shell.ExitCode == nil { // it goes on, or was ended
			return nil
		}
		output, _, _ := client.CopilotOutcome(done.Result.Detailed)
		return ran(id, args.Command, *done.Shell.ExitCode, output)
	case "Read":
		return use(id, name, map[string]string{"file_path": args.Path}, block{})
	case "Edit", "Write":
		return edited(id, client.PatchedFile{Path: args.Path, IsNew: name == "Write", Before: args.Before, After: args.After + args.Content})
	case "Agent":
		report, _, _ := strings.Cut(done.Result.Content, "\n\nTool \"task\" succeeded. Additional guidance from ") // the answers of hooks
		return use(id, name, map[string]string{"subagent_type": args.Agent, "prompt": args.Prompt}, block{Content: raw(report)})
	}
	return use(id, name, call.Args, block{Content: raw(done.Result.Detailed)})
}
