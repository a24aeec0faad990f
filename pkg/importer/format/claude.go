package format

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"
)

// claudeTranscript reads a transcript of Claude Code.
type claudeTranscript struct {
	origin
	uses    map[string]block // the tools in use, by their id
	trigger string           // of the compaction that is under way
}

func newClaudeTranscript(string) Reader { return &claudeTranscript{uses: map[string]block{}} }

// claudeLine is a line, as far as it is understood.
type claudeLine struct {
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
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// Entries takes session and directory of the transcript from the first line that has each.
func (c *claudeTranscript) Entries(text []byte) ([]Entry, error) {
	var line claudeLine
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, err
	}
	c.session, c.dir = cmp.Or(c.session, line.SessionID), cmp.Or(c.dir, line.CWD)
	e := Entry{ID: line.UUID, At: line.Timestamp, Session: line.SessionID, Dir: line.CWD, IsAside: line.IsSidechain}
	switch {
	case line.UUID == "":
	case line.Type == "user":
		c.user(line, &e)
	case line.Type == "assistant":
		c.assistant(line, &e)
	case line.Type == "system":
		c.trigger = cmp.Or(line.CompactMetadata.Trigger, c.trigger)
	}
	return []Entry{e}, nil
}

func (c *claudeTranscript) user(line claudeLine, e *Entry) {
	e.IsMessage = true
	all := blocks(line.Message.Content)
	if line.IsCompactSummary {
		e.Summary, e.Trigger = summaryIn(textOf(all)), c.trigger
		return
	}
	for _, b := range all {
		use, known := c.uses[b.ToolUseID]
		if b.Type != "tool_result" || !known {
			continue
		}
		delete(c.uses, b.ToolUseID)
		e.Uses = append(e.Uses, Use{use.ID, use.Name, use.Input, line.ToolUseResult, textOf(blocks(b.Content)), b.IsError})
	}
	if !line.IsMeta {
		e.Prompt = textOf(all)
	}
}

// summaryIn is a compaction's summary without the client's introduction.
func summaryIn(text string) string {
	if strings.HasPrefix(text, "This session is being continued") {
		if _, summary, found := strings.Cut(text, "\n\n"); found {
			return summary
		}
	}
	return text
}

func (c *claudeTranscript) assistant(line claudeLine, e *Entry) {
	e.IsMessage = true
	for _, b := range blocks(line.Message.Content) {
		switch {
		case b.Type == "tool_use" && b.ID != "":
			c.uses[b.ID] = b
		case b.Type == "text" && !line.IsAPIError && strings.TrimSpace(b.Text) != "":
			e.Words = b.Text
		}
	}
}
