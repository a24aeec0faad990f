package format

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// claudeTranscript reads a transcript of Claude Code.
type claudeTranscript struct {
	origin
	uses    map[string]block // running tools, by ID
	trigger string           // trigger of the running compaction
	held    []Entry          // the answer to a dialog and what follows it, until a message that shows that no hook has changed the answer

	hasAgent, hasPrompt bool // whether the session has an agent, and a prompt
}

func newClaudeTranscript(Forks) Reader { return &claudeTranscript{uses: map[string]block{}} }

// claudeLine has the fields of a line that are used.
type claudeLine struct {
	Type             string          `json:"type"`
	UUID             word            `json:"uuid"`
	Parent           word            `json:"parentUuid"`
	SessionID        word            `json:"sessionId"`
	CWD              string          `json:"cwd"`
	Timestamp        moment          `json:"timestamp"`
	IsSidechain      flag            `json:"isSidechain"`
	IsMeta           flag            `json:"isMeta"`
	UserType         word            `json:"userType"`
	Entrypoint       word            `json:"entrypoint"`
	PromptSource     word            `json:"promptSource"`
	PromptRewritten  flag            `json:"promptRewritten"` // by a plugin's module
	SessionKind      word            `json:"sessionKind"`     // bg: the client's background service runs it, whoever asked for it
	Origin           sender          `json:"origin"`
	Decision         sender          `json:"permissionDecision"`
	WokenBy          json.RawMessage `json:"wakeupSource"`
	HostInitiator    json.RawMessage `json:"hostInitiator"`
	ForeignWord      json.RawMessage `json:"foreignWord"`
	AgentName        word            `json:"agentName"`
	TeamName         word            `json:"teamName"`
	TextNotTyped     flag            `json:"textNotTyped"`
	NoPersonArrived  flag            `json:"noPersonArrived"`
	IsCompactSummary flag            `json:"isCompactSummary"`
	IsAPIError       flag            `json:"isApiErrorMessage"`
	ToolUseResult    json.RawMessage `json:"toolUseResult"`
	TurnPosition     struct {
		Turn int `json:"turnIndex"` // number of the prompt, from 1; rewound prompts do not count
	} `json:"turnPosition"`
	CompactMetadata struct {
		Trigger string `json:"trigger"`
	} `json:"compactMetadata"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	ForkedFrom json.RawMessage `json:"forkedFrom"`
	Attachment json.RawMessage `json:"attachment"`
}

// sender is the kind of a prompt's sender, or who decided about a call. The line has it as a string, or as an object with the field kind or source.
type sender struct{ kind word }

func (s *sender) UnmarshalJSON(data []byte) error {
	var object struct{ Kind, Source word }
	if json.Unmarshal(data, &object) == nil {
		s.kind = cmp.Or(object.Kind, object.Source)
		return nil
	}
	return s.kind.UnmarshalJSON(data)
}

// said returns the line's information on who speaks.
func (l *claudeLine) said() speaker.Line {
	isMarked := func(field json.RawMessage) bool {
		return len(field) > 0 && string(field) != "null" && string(field) != `"user"`
	}
	member := cmp.Or(l.AgentName, l.TeamName) // set for a member of a team of agents, whom a model prompts, but not for the lead
	return speaker.Line{
		Entrypoint: string(l.Entrypoint), Source: string(l.PromptSource), Origin: string(l.Origin.kind), UserType: string(l.UserType),
		IsOthers: bool(l.IsMeta || l.PromptRewritten || l.TextNotTyped || l.NoPersonArrived) || isMarked(l.WokenBy) || isMarked(l.HostInitiator) || isMarked(l.ForeignWord) ||
			member != "" && member != "team-lead",
		Decider: string(l.Decision.kind), IsUnsure: l.SessionKind != "",
	}
}

// Entries returns the entries of a line. It holds the answer to a dialog back until the next message, because the output of the hooks that
// may have changed it stands between. It takes the transcript's session and directory from the first lines that have them.
func (c *claudeTranscript) Entries(text []byte) ([]Entry, error) {
	var line claudeLine
	if err := understood(text, &line); err != nil {
		return nil, err
	}
	all, err := c.entries(line)
	isAnswer := slices.ContainsFunc(all, func(e Entry) bool {
		return slices.ContainsFunc(e.Uses, func(use Use) bool { return use.Name == askTool })
	})
	if isAnswer || len(c.held) > 0 && line.Type != "user" && line.Type != "assistant" {
		c.held = append(c.held, all...)
		return nil, err
	}
	return append(c.Rest(), all...), err
}

// Rest returns the entries that were held back.
func (c *claudeTranscript) Rest() []Entry {
	held := c.held
	c.held = nil
	return held
}

// askTool is the tool that asks the user in a dialog.
const askTool = "AskUserQuestion"

// entries returns the entries of a line.
func (c *claudeTranscript) entries(line claudeLine) ([]Entry, error) {
	c.session, c.dir = cmp.Or(c.session, string(line.SessionID)), cmp.Or(c.dir, line.CWD)
	id, origin := line.original()
	e := Entry{
		ID: id, Origin: origin, At: line.Timestamp.Time, Session: string(line.SessionID), Dir: line.CWD,
		Own: string(line.UUID), After: string(line.Parent), IsAside: bool(line.IsSidechain), Line: line.said(),
	}
	switch {
	case line.Type == "attachment":
		return c.attachment(line, e)
	case line.Type == "agent-setting":
		c.hasAgent = true
	case line.Type == "user":
		e.ID = cmp.Or(e.ID, "unnamed")
		e.Line.IsUnsure = e.Line.IsUnsure || c.hasAgent && !c.hasPrompt // the client submits an agent's initialPrompt as the first prompt
		if err := c.user(line, &e); err != nil {
			return nil, err
		}
	case line.Type == "assistant":
		e.ID = cmp.Or(e.ID, "unnamed")
		err := c.assistant(line, &e)
		return []Entry{e}, err
	case line.Type == "system":
		c.trigger = cmp.Or(line.CompactMetadata.Trigger, c.trigger)
	}
	return []Entry{e}, nil
}

// original returns the ID of the line. If the line was copied from another session, it returns the ID that the line had there, and that session.
func (l *claudeLine) original() (id, session string) {
	var from struct {
		UUID    word `json:"messageUuid"`
		Session word `json:"sessionId"`
	}
	_ = understood(l.ForkedFrom, &from) // otherwise it is not a copy
	return string(cmp.Or(from.UUID, l.UUID)), string(from.Session)
}

// attachment returns a prompt that was typed while the assistant worked, and passed to it within the turn. If a hook answered a dialog or
// refused a call in the user's place, or changed an answer, attachment drops the dialog or the call.
func (c *claudeTranscript) attachment(line claudeLine, e Entry) ([]Entry, error) {
	var a struct {
		Type   string          `json:"type"`
		Prompt json.RawMessage `json:"prompt"`
		Mode   string          `json:"commandMode"` // bash and others are not prompts
		IsMeta flag            `json:"isMeta"`
		Origin sender          `json:"origin"`

		Use      word   `json:"toolUseID"` // of a hook's line, like the next two fields
		Decision word   `json:"decision"`
		Output   string `json:"stdout"`
	}
	err := understood(line.Attachment, &a)
	if a.Decision == "deny" || c.uses[string(a.Use)].Name == askTool && (a.Decision == "allow" || strings.Contains(a.Output, "updatedInput")) {
		delete(c.uses, string(a.Use))
	}
	for i := range c.held {
		c.held[i].Uses = slices.DeleteFunc(c.held[i].Uses, func(use Use) bool { return use.ID == string(a.Use) && strings.Contains(a.Output, "updatedToolOutput") })
	}
	if a.Type != "queued_command" || cmp.Or(a.Mode, "prompt") != "prompt" {
		return []Entry{e}, nil
	}
	e.Line.IsOthers, e.Line.Origin = e.Line.IsOthers || bool(a.IsMeta), cmp.Or(string(a.Origin.kind), e.Line.Origin)
	all, contentErr := blocks(a.Prompt)
	if err != nil || contentErr != nil {
		return nil, errContent
	}
	e.IsMessage, e.Prompt = true, typedIn(all, e.Line)
	e.ID = cmp.Or(e.ID, "queued")
	return []Entry{e}, nil
}

func (c *claudeTranscript) user(line claudeLine, e *Entry) error {
	e.IsMessage = true
	all, err := blocks(line.Message.Content)
	if err != nil {
		return err
	}
	if line.IsCompactSummary {
		e.Summary, e.Trigger = client.Summary(textOf(all)), c.trigger
		return nil
	}
	for _, b := range all {
		use, known := c.uses[b.ToolUseID]
		if b.Type != "tool_result" || !known {
			continue
		}
		delete(c.uses, b.ToolUseID)
		result, _ := blocks(b.Content) // a content that is not text gives ""
		e.Uses = append(e.Uses, Use{use.ID, use.Name, use.Input, line.ToolUseResult, textOf(result), bool(b.IsError)})
	}
	e.Prompt = typedIn(all, e.Line)
	c.hasPrompt = c.hasPrompt || e.Prompt != ""
	if line.TurnPosition.Turn == 1 && e.Prompt != "" && !e.IsAside {
		// A first prompt takes back all others. Its parent is ignored: no line is before it, and the client then names the last line of the file.
		e.After, e.TakesBack = "", math.MaxInt
	}
	return nil
}

func (c *claudeTranscript) assistant(line claudeLine, e *Entry) error {
	e.IsMessage = true
	all, err := blocks(line.Message.Content)
	for _, b := range all {
		switch {
		case b.Type == "tool_use" && b.ID != "":
			c.uses[b.ID] = b
		case b.Type == "text" && !bool(line.IsAPIError) && strings.TrimSpace(b.Text) != "":
			e.Words = b.Text
		}
	}
	return err
}
