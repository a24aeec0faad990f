package importer

import (
	"encoding/json"
	"strings"
	"time"
)

// Transcript is a file in which the client keeps a session, or a part of one that
// a subagent did.
type Transcript struct {
	File    string
	Size    int64  // bytes
	Session string // of its first line that names one
	Dir     string // where that session was started
	// Lines makes the lines of a transcript that is no file of its own; nil for a file, which File names then.
	Lines func() ([]byte, error)
}

// entry is a line of a transcript, as far as it is understood. The format is internal
// to the client and changes, so lines that cannot be parsed are skipped.
type entry struct {
	Type             string          `json:"type"`
	UUID             string          `json:"uuid"`
	SessionID        string          `json:"sessionId"`
	CWD              string          `json:"cwd"`
	Timestamp        time.Time       `json:"timestamp"`
	IsSidechain      bool            `json:"isSidechain"`
	IsMeta           bool            `json:"isMeta"`
	IsCompactSummary bool            `json:"isCompactSummary"`
	IsAPIError       bool            `json:"isApiErrorMessage"`
	ToolUseResult    json.RawMessage `json:"toolUseResult"`
	CompactMetadata  struct {
		Trigger string `json:"trigger"`
	} `json:"compactMetadata"`
	Message message `json:"message"`
}

type message struct {
	Content json.RawMessage `json:"content"`
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

func textOf(all []block) string {
	var texts []string
	for _, b := range all {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// use is the use of a tool and its result.
func use(id, tool string, input any, result block) []entry {
	result.Type, result.ToolUseID = "tool_result", id
	call := block{Type: "tool_use", ID: id, Name: tool, Input: raw(input)}
	entries := []entry{{Type: "assistant", UUID: id + " use"}, {Type: "user", UUID: id + " result"}}
	entries[0].Message.Content, entries[1].Message.Content = raw([]block{call}), raw([]block{result})
	return entries
}

// raw encodes texts and blocks, which cannot fail.
func raw(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return text
}
