package format

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// isCopilotEvents recognises a transcript of Copilot CLI by its place: session-state/SESSION/events.jsonl.
func isCopilotEvents(file string) bool {
	return filepath.Base(file) == "events.jsonl" && filepath.Base(filepath.Dir(filepath.Dir(file))) == "session-state"
}

// copilotEvents reads a transcript of Copilot CLI, in which the lines of subagents have their id.
type copilotEvents struct {
	origin
	calls map[string]copilotCall
}

// copilotCall is a call of a tool that has not come back.
type copilotCall struct {
	Name string          `json:"toolName"`
	Args json.RawMessage `json:"arguments"`
}

func newCopilotEvents(string) Reader { return &copilotEvents{calls: map[string]copilotCall{}} }

func (c *copilotEvents) Entries(text []byte) ([]Entry, error) {
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
		Content json.RawMessage `json:"content"`
		CallID  string          `json:"toolCallId"`
		From    string          `json:"upToEventId"`
		IDs     []string        `json:"eventIds"`
	}
	if json.Unmarshal(line.Data, &data) != nil {
		return nil, unknownIf(line.Type == "user.message" || line.Type == "assistant.message" || line.Type == "session.start")
	}
	said := Entry{ID: line.ID, IsAside: line.AgentID != ""}
	content, err := blocks(data.Content)
	switch line.Type {
	case "session.start":
		if c.session == "" {
			c.session, c.dir = data.SessionID, data.Context.CWD
		}
		return nil, nil
	case "user.message":
		said.Prompt = typedIn(content)
	case "assistant.message":
		said.Words = textOf(content)
	case "session.snapshot_rewind":
		return []Entry{{Rewind: &Rewind{From: data.From, IDs: data.IDs}}}, nil
	case "tool.execution_start":
		c.calls[data.CallID] = data.copilotCall
		return []Entry{{ID: line.ID}}, nil
	case "tool.execution_complete":
		if said.Uses = c.uses(data.CallID, line.Data); said.Uses == nil {
			return []Entry{{ID: line.ID}}, nil
		}
	default:
		return []Entry{{ID: line.ID}}, nil // a rewind may name it
	}
	return c.message(line.Timestamp, said), err
}

// unknownIf returns the error of a line that should be supported.
func unknownIf(isMessage bool) error {
	if isMessage {
		return errContent
	}
	return nil
}

// uses returns the use of a tool that has ended; none if it had no effect.
func (c *copilotEvents) uses(id string, data json.RawMessage) []Use {
	call := c.calls[id]
	delete(c.calls, id)
	use, known := toolUse(client.Copilot, id, call.Name, call.Args)
	var done struct {
		Success bool
		Shell   *struct{ ExitCode *int } `json:"shellExecution"`
		Result  struct {
			Content  string
			Detailed string `json:"detailedContent"`
		}
	}
	if json.Unmarshal(data, &done) != nil || !known || !done.Success {
		return nil
	}
	switch use.Name {
	case "Bash":
		if done.Shell == nil || done.Shell.ExitCode == nil { // it still runs, or was killed
			return nil
		}
		output, _, _ := client.CopilotOutcome(done.Result.Detailed)
		use = use.ended(*done.Shell.ExitCode, output)
	case "Agent":
		use.Output, _, _ = strings.Cut(done.Result.Content, "\n\nTool \"task\" succeeded. Additional guidance from ") // the answers of hooks
	default:
		use.Output = done.Result.Detailed
	}
	return []Use{use}
}
