package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer/format"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// conversation converts the entries of one transcript to events.
type conversation struct {
	project project.Project
	moved   ProjectOf // finds the project of a directory to which the user moves the session; nil: it stays in project
	isOff   bool      // memory is off in the session's current project
	first   string    // session of the transcript, for entries without a session
	client  string    // empty for Claude Code
	reader  format.Reader
	failing map[string]bool // commands whose last run failed, in the form of shell.CoreOf
	started bool            // whether the start's event was returned
	session string          // session of the main conversation's last entry
	at      time.Time       // time of the last entry
	words   []memory.Event  // the assistant's last words, until the turn ends
	history history
	gone    map[int]bool // numbers of the entries that the user took back
	number  int          // number of the next entry
	// takenBack are the prompts that the user took back, with the IDs under which an earlier import may have stored them.
	takenBack []memory.Event
	dialogs   []memory.Event // TranscriptReport.Dialogs
	prompts   int            // number of prompts
	hasAside  bool           // whether any entry belonged to a subagent
	line      speaker.Line   // what the client recorded beside the last entry's text
}

// transcriptSource is the source of the sessions that an import of transcripts has stored.
const transcriptSource = "transcript"

// lastYear is the last year that a time in JSON can have.
const lastYear = 9999

// all returns the events of entries, without the entries that the user took back.
func (c *conversation) all(entries []format.Entry) (events []memory.Event) {
	for _, e := range entries {
		c.history.add(e)
		if c.gone[c.number] {
			c.takeBack(e)
		} else {
			c.follow(e)
			if found := c.entry(e); !c.isOff {
				for i := range found {
					found[i].Origin = e.Origin
				}
				events = append(events, found...)
			}
		}
		c.number++
	}
	return events
}

// takeBack keeps the prompt of an entry that the user took back. It does not change the state of the conversation.
func (c *conversation) takeBack(e format.Entry) {
	then := *c
	if then.follow(e); then.isOff || e.Prompt == "" {
		return
	}
	e.Uses = nil
	for _, event := range then.entry(e) {
		if event.Kind == memory.EventPrompt {
			event.TakenBack = true
			c.takenBack = append(c.takenBack, event)
		}
	}
}

// follow moves the conversation to the project of a prompt's directory, if the prompt was given outside of the
// project's folder. The assistant's shell also changes directories, but the session does not move with it.
func (c *conversation) follow(e format.Entry) {
	if c.moved == nil || e.Prompt == "" || e.IsAside || !project.IsAbsolute(e.Dir) {
		return
	}
	if c.isOff = false; c.project.Has(e.Dir) {
		return
	}
	where, isOff := c.moved(e.Dir)
	if c.isOff = isOff; !isOff {
		c.project = where
	}
}

func (c *conversation) entry(e format.Entry) []memory.Event {
	if at := e.At.UTC(); !at.IsZero() && at.Year() > 0 && at.Year() <= lastYear {
		c.at = at
	}
	e.Session, c.line = cmp.Or(e.Session, c.first), e.Line
	if c.at.IsZero() || e.Session == "" || !e.IsMessage {
		return nil
	}
	var events []memory.Event
	c.hasAside = c.hasAside || e.IsAside
	if !e.IsAside {
		events = c.start(e.Session)
		c.session = e.Session
	}
	for _, use := range e.Uses {
		events = append(events, c.use(e, use)...)
	}
	if e.ID == "" {
		return events
	}
	if e.Summary != "" {
		event := describe.Report(c.occurrence(e.Session, hookio.Input{}), memory.EventCompacted, e.Trigger, describe.CompactionSummary(e.Summary))
		return append(events, identified(e, event)...)
	}
	if e.IsAside {
		return events
	}
	if e.Words != "" {
		event := describe.Report(c.occurrence(e.Session, hookio.Input{}), memory.EventTurnEnded, "", e.Words)
		if found := identified(e, event); len(found) > 0 {
			c.words = found
		}
	}
	return append(events, c.prompt(e)...)
}

// printMark stands before an imported prompt of print mode.
const printMark = speaker.PrintMark + " "

// Unmarked returns an imported prompt without the mark of print mode.
func Unmarked(prompt string) string { return strings.TrimPrefix(prompt, printMark) }

// prompt returns the event of the user's prompt, after the end of the previous turn.
func (c *conversation) prompt(e format.Entry) []memory.Event {
	prompt := describe.Prompt(e.Prompt, speaker.Line{})
	if prompt == "" {
		return nil
	}
	event := describe.New(c.occurrence(e.Session, hookio.Input{}), memory.EventPrompt)
	event.Prompt, event.Unsure = prompt, e.Line.IsUnsure
	if e.Line.IsPrint() {
		event.Prompt = printMark + prompt
	}
	c.prompts++
	found := identified(e, event)
	if len(e.Uses) > 0 { // the user added this text when accepting a dialog
		c.dialogs = append(c.dialogs, found...)
	}
	return append(c.turnEnded(), found...)
}

// start returns the event of a session's start at its first entry.
func (c *conversation) start(session string) []memory.Event {
	if c.started && c.session == session {
		return nil
	}
	c.started = true
	event := describe.New(c.occurrence(session, hookio.Input{}), memory.EventSessionStarted)
	event.Source = transcriptSource
	return identified(format.Entry{History: session}, event, session)
}

// end returns the ends of the last turn and of the session. If the session continues later, later events override them.
func (c *conversation) end() []memory.Event {
	if !c.started {
		return nil
	}
	event := describe.New(c.occurrence(c.session, hookio.Input{}), memory.EventSessionEnded)
	event.Reason = memory.EndImported
	return append(c.turnEnded(), identified(format.Entry{History: c.session}, event, c.at.Format(time.RFC3339Nano))...)
}

func (c *conversation) turnEnded() []memory.Event {
	words := c.words
	c.words = nil
	return words
}

// lasting lists the tools whose uses are described even if no command has failed.
var lasting = []string{"Write", "Edit", "NotebookEdit", "Bash", "Agent", "Task", "AskUserQuestion", "ExitPlanMode"}

func (c *conversation) use(e format.Entry, use format.Use) []memory.Event {
	if use.Failed {
		return c.failed(e, use)
	}
	if !slices.Contains(lasting, use.Name) && len(c.failing) == 0 {
		return nil // other tools matter only after a failed command, as a possible cure
	}
	if !bytes.HasPrefix(bytes.TrimSpace(use.Response), []byte("{")) {
		use.Response = plainResult(use.Name, use.Output)
	}
	input, err := toolInput(e, use, "tool_response", use.Response)
	if err != nil {
		return nil
	}
	var events []memory.Event
	for n, answer := range describe.Answers(c.occurrence(e.Session, input)) {
		events = append(events, identified(e, answer, use.ID, fmt.Sprint(n))...)
	}
	event := describe.ToolUse(c.occurrence(e.Session, input), func(succeeded string) bool {
		was := len(c.failing) > 0
		for _, run := range shell.Succeeded(succeeded) {
			delete(c.failing, shell.CoreOf(run.Command))
		}
		return was
	})
	return append(events, identified(e, event, use.ID)...)
}

// plainResult returns the structure of a result that the transcript has only as text.
func plainResult(tool, output string) json.RawMessage {
	result := map[string]any{"stdout": output}
	if tool == "Agent" || tool == "Task" {
		result = map[string]any{"status": "completed", "content": []map[string]string{{"type": "text", "text": output}}}
	}
	text, _ := json.Marshal(result) // strings can always be encoded
	return text
}

// failed returns the event of a failed command or of the user's comment on a refused call. It returns none for a command that never ran.
func (c *conversation) failed(e format.Entry, use format.Use) []memory.Event {
	input, err := toolInput(e, use, "error", strings.TrimPrefix(use.Output, "Error: "))
	if err != nil {
		return nil
	}
	if refused := identified(e, describe.Refusal(c.occurrence(e.Session, input)), use.ID); len(refused) > 0 {
		c.dialogs = append(c.dialogs, refused...)
		return refused
	}
	event := describe.ToolFailure(c.occurrence(e.Session, input))
	if command := input.ToolInput.String("command"); event.ID != "" && !shell.IsReadOnly(command) {
		c.failing[shell.CoreOf(command)] = true
	}
	return identified(e, event, use.ID)
}

// toolInput returns the input that a hook would have received, with the same size limits, and sets its field to outcome.
func toolInput(e format.Entry, use format.Use, field string, outcome any) (hookio.Input, error) {
	document, err := json.Marshal(map[string]any{
		"session_id": e.Session, "cwd": e.Dir, "tool_name": use.Name, "tool_input": use.Input, field: outcome,
	})
	if err != nil {
		return hookio.Input{}, err
	}
	return hookio.Decode(bytes.NewReader(document))
}

// occurrence returns input for package describe, with the given session and the project, client, time and line of the current entry.
func (c *conversation) occurrence(session string, input hookio.Input) describe.Occurrence {
	input.SessionID = session
	return describe.Occurrence{Input: input, Project: c.project, Client: c.client, At: c.at, Line: c.line}
}

// identified returns an entry's event with the ID that is the same at each import and in each copy of the entry. It
// returns none for an event that is not worth storing.
func identified(e format.Entry, event memory.Event, id ...string) []memory.Event {
	if event.ID == "" {
		return nil
	}
	line := describe.Line{History: e.History, ID: e.ID, At: e.At, ByText: e.ByText}
	return []memory.Event{line.Identified(event, id...)}
}

// history is the tree of the turns in a transcript. A user who goes back to an earlier point begins a branch there; the
// branch of the last prompt is valid. The lines of parallel tools branch, too, but within one turn.
type history struct {
	turnOf  map[string]int // turn of each line, by the line's ID
	before  []int          // the turn before each turn; turn 0 has no prompt, and precedes itself
	now     int            // turn of the last prompt
	entries []int          // turn of each entry
}

func (h *history) add(e format.Entry) {
	for range min(e.TakesBack, len(h.before)) {
		h.now = h.before[h.now]
	}
	turn, known := h.turnOf[e.After]
	if !known { // the chain of lines is cut, or the client writes none
		turn = h.now
	}
	hasPlace := e.Own != "" || len(h.turnOf) == 0 // a prompt without an ID, beside lines that have one, is no turn
	if e.Prompt != "" && !e.IsAside && hasPlace {
		h.before = append(h.before, turn)
		turn = len(h.before) - 1
		h.now = turn
	}
	if e.Own != "" {
		h.turnOf[e.Own] = turn
	}
	h.entries = append(h.entries, turn)
}

// gone returns the numbers of the entries whose turns are not on the branch of the last prompt.
func (h *history) gone() map[int]bool {
	holds, gone := map[int]bool{0: true}, map[int]bool{}
	for turn := h.now; turn > 0; turn = h.before[turn] {
		holds[turn] = true
	}
	for number, turn := range h.entries {
		if !holds[turn] {
			gone[number] = true
		}
	}
	return gone
}
