package memory

import (
	"fmt"
	"math/rand/v2"
	"time"
)

type EventKind string

// The kinds of event that capture hooks write and the daemon ingests.
const (
	EventSessionStarted   EventKind = "session_started"
	EventPrompt           EventKind = "prompt"
	EventFileChanged      EventKind = "file_changed"
	EventCommandSucceeded EventKind = "command_succeeded"
	EventCommandFailed    EventKind = "command_failed"
	EventSessionEnded     EventKind = "session_ended"
	EventToolUsed         EventKind = "tool_used"
	EventSubagentReported EventKind = "subagent_reported"
	EventTaskCompleted    EventKind = "task_completed"
	EventTurnEnded        EventKind = "turn_ended"
	EventTurnFailed       EventKind = "turn_failed"
	EventNotified         EventKind = "notified"
	EventCompacting       EventKind = "compacting"
	EventCompacted        EventKind = "compacted"
	// EventAnswered is the user's answer to a question that the assistant asked with a tool:
	// Text is the answer, LastWords the question, Output the options.
	EventAnswered EventKind = "answered"
	// EventRefused is a tool call, such as a plan, that the user refused with a comment: Text is the comment; Tool, File and
	// Command describe the refused call; LastWords are the assistant's question or plan.
	EventRefused EventKind = "refused"
	// EventPlanAccepted is a plan of the assistant, in Text, that the user accepted.
	EventPlanAccepted EventKind = "plan_accepted"
	// EventRemembered is a memory that a person or model asked to store.
	EventRemembered EventKind = "remembered"
	// EventImported carries whole rows from elsewhere; see Import.
	EventImported EventKind = "imported"
	// EventDistilled is a model's answer about a session; see Distilled.
	EventDistilled EventKind = "distilled"
	// EventSummarised is the kind of the session event that holds an imported session's summary. No Event has this kind.
	EventSummarised EventKind = "summarised"
	// EventTakenBack is the kind of the session event that marks a prompt that the user took back by a rewind: Detail
	// is the prompt's id. No Event has this kind.
	EventTakenBack EventKind = "taken_back"
)

// Event is one thing that happened in a session, as a hook recorded it: redacted and
// truncated. The daemon has no other information about it.
type Event struct {
	ID      string    `json:"id"` // unique; sorts by time
	At      time.Time `json:"at"`
	Kind    EventKind `json:"kind"`
	Session string    `json:"session" holds:"id"`
	Project Project   `json:"project"`
	Dir     string    `json:"dir,omitempty" holds:"place"`
	Client  string    `json:"client,omitempty" holds:"word"` // name of the client, as in Session

	// Source is how a session started, or the subject of a session event; Reason is why the session ended.
	Source string `json:"source,omitempty" holds:"word"`
	Reason string `json:"reason,omitempty" holds:"word"`

	// Prompt is the user's text. LastWords are the end of the assistant's text before it,
	// added by the daemon at ingest, or the question that the prompt answers.
	Prompt    string `json:"prompt,omitempty"`
	LastWords string `json:"last_words,omitempty"`

	// Tool, File, Before, After and Lines describe a file change; Before is empty when the file was written as a whole.
	Tool   string `json:"tool,omitempty" holds:"tool"`
	File   string `json:"file,omitempty"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Lines  int    `json:"lines,omitempty"`

	// Command, Output and Error describe a shell command.
	Command string `json:"command,omitempty"`
	Output  string `json:"output,omitempty"`
	Error   string `json:"error,omitempty"`

	// RememberedKind is the kind of a requested memory. Text is that memory, a report, a
	// task, an assistant's last words or a compaction's summary. ByUser is set if a person,
	// not a model, made the request; for EventSessionEnded, if a person ran the session.
	RememberedKind Kind     `json:"remembered_kind,omitempty"`
	ByUser         bool     `json:"by_user,omitempty"`
	Text           string   `json:"text,omitempty"`
	Files          []string `json:"files,omitempty"` // the files it is about, relative to the project's root
	Tags           []string `json:"tags,omitempty" holds:"label"`

	// Title, Area, Cues and Everywhere belong to a fact that a model asked to store (see Memory). Weight is the
	// fact's importance, 1 to 3; 0 stands for 2. Replaces is the id, or the beginning of the id, of a memory that the
	// fact makes obsolete. Quote has the user's words that support the fact, according to the model.
	Title      string   `json:"title,omitempty"`
	Area       string   `json:"area,omitempty" holds:"label"`
	Cues       []string `json:"cues,omitempty"`
	Everywhere bool     `json:"everywhere,omitempty"`
	Weight     int      `json:"weight,omitempty"`
	Replaces   string   `json:"replaces,omitempty" holds:"id"`
	Quote      string   `json:"quote,omitempty"`

	// Held: the hook could not tell whether memory is on in the project. The daemon stores the event only if it is.
	Held bool `json:"held,omitempty"`
	// TakenBack is set on an imported prompt that the user took back by a rewind.
	TakenBack bool `json:"taken_back,omitempty"`
	// Unsure is set on a prompt that a program may have submitted: "in all my projects" then means its project, until the client's transcript
	// says that a person typed it.
	Unsure bool `json:"unsure,omitempty"`
	// Origin is the session from which an imported line was copied, if the client says so. It is not stored.
	Origin string `json:"origin,omitempty" holds:"id"`
	// Transcript is the file in which the client records the session of a prompt or an end.
	Transcript string `json:"transcript,omitempty" holds:"place"`

	// Truncated: the hook's input ended early or was cut.
	Truncated bool `json:"truncated,omitempty"`

	// Import is the content of an event of the kind EventImported.
	Import *Import `json:"import,omitempty"`
	// Distilled is the content of an event of the kind EventDistilled.
	Distilled *Distilled `json:"distilled,omitempty"`
}

// NewEventID returns an id that sorts by at. Ids of processes that write in the same nanosecond differ, because each
// process has a random seed. An id is not a secret.
func NewEventID(at time.Time) string {
	const salt = 1 << 48
	return fmt.Sprintf("%016x-%012x", uint64(at.UnixNano()), rand.Uint64N(salt))
}

// Validate returns ErrInvalid if an event lacks a field that ingest needs, or if its kind is unknown.
func (e Event) Validate() error {
	switch {
	case e.ID == "":
		return fmt.Errorf("event has no id: %w", ErrInvalid)
	case e.Session == "":
		return fmt.Errorf("event %s has no session: %w", e.ID, ErrInvalid)
	case e.Project.Key == "" && e.Kind != EventImported: // the user's own memories have none
		return fmt.Errorf("event %s has no project: %w", e.ID, ErrInvalid)
	case e.At.IsZero():
		return fmt.Errorf("event %s has no time: %w", e.ID, ErrInvalid)
	}
	switch e.Kind {
	case EventSessionStarted, EventPrompt, EventFileChanged, EventCommandSucceeded,
		EventCommandFailed, EventSessionEnded, EventRemembered, EventToolUsed, EventSubagentReported,
		EventTaskCompleted, EventTurnEnded, EventTurnFailed, EventNotified, EventCompacting, EventCompacted,
		EventAnswered, EventRefused, EventPlanAccepted:
		return nil
	case EventImported:
		return e.Import.validate(e.ID)
	case EventDistilled:
		return e.Distilled.validate(e.ID)
	}
	return fmt.Errorf("event %s is of an unknown kind %q: %w", e.ID, e.Kind, ErrInvalid)
}
