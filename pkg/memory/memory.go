// Package memory is the domain: memories, sessions, captured events, and the errors that callers can distinguish. It defines the
// terms that every other package uses. It does no I/O, knows no database, and decides no policy.
package memory

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// Scope decides in which sessions a memory is recalled. A narrower scope outranks a wider one.
type Scope string

// The scopes, from narrow to wide.
const (
	ScopeProject Scope = "project"
	ScopeUser    Scope = "user"
)

// Type decides how fast a memory fades (half-lives are policy, not domain).
type Type string

// The types, from the fastest fading to the slowest.
const (
	TypeEpisodic   Type = "episodic"
	TypeSemantic   Type = "semantic"
	TypeProcedural Type = "procedural"
)

// Kind is the subject of a memory; it decides where the memory is shown.
type Kind string

const (
	KindTodo       Kind = "todo"
	KindConvention Kind = "convention"
	KindDecision   Kind = "decision"
	KindNote       Kind = "note"
	KindPreference Kind = "preference"
	// KindCorrection is a rejection or correction by the user.
	KindCorrection Kind = "correction"
	// KindFix is the change that made a failing command work.
	KindFix Kind = "fix"
	// KindDiscovery is a finding, such as a conclusion of the assistant.
	KindDiscovery Kind = "discovery"
	// KindTurn is the kind of a prompt, an event or a session's summary that a search returns in the form of a memory.
	// No stored memory has it.
	KindTurn Kind = "turn"
)

// Kinds lists the kinds of stored memories.
func Kinds() []Kind { return append(StatementKinds(), KindFix, KindDiscovery) }

// IsUserAuthored reports whether a person's statements have this kind; facts may have it, too. Row.UserWritten is set
// if a person asked to keep the memory.
func (k Kind) IsUserAuthored() bool { return slices.Contains(statementKinds, k) }

var statementKinds = []Kind{KindNote, KindTodo, KindConvention, KindDecision, KindPreference, KindCorrection}

// StatementKinds lists the kinds for which IsUserAuthored returns true.
func StatementKinds() []Kind { return slices.Clone(statementKinds) }

// ConfirmedImportance is the importance from which a start treats a memory as requested by a person: rules and models
// assign less.
const ConfirmedImportance = 0.95

// IsKept reports whether somebody asked to keep a memory, pinned it or confirmed it.
func (m Memory) IsKept() bool { return m.Pinned || m.Asked || m.Importance >= ConfirmedImportance }

// TagWithdrawn marks a memory that is archived because the client's own memory has lost it.
const TagWithdrawn = "withdrawn"

// The tags of memories that come from Claude Code's auto-memory, from a CLAUDE.md file, and of cures.
const (
	TagAutoMemory = "auto-memory"
	TagClaudeMD   = "claude-md"
	TagDebugging  = "debugging"
)

// IsRecallable reports whether recall may return the memory.
func (m Memory) IsRecallable() bool { return m.Status == StatusActive }

// Status is the stage of a memory's life. Archived memories can be restored.
type Status string

// The statuses, in the order a memory can pass through them.
const (
	StatusActive       Status = "active"
	StatusConsolidated Status = "consolidated"
	StatusArchived     Status = "archived"
)

// Memory is one remembered thing. Its identity is its normalised content, scope and
// project (see NewID): the same thing learned twice is one row.
type Memory struct {
	ID      string `json:"id"`
	Project string `json:"project" holds:"id"` // project key; empty for user scope
	Scope   Scope  `json:"scope"`
	Type    Type   `json:"type"`
	Kind    Kind   `json:"kind"`
	Status  Status `json:"status"`
	// Source is the author of the text; the most trusted one if there are several.
	Source Source `json:"source,omitempty"`

	Content string   `json:"content"`          // the text to render, one thought
	Detail  string   `json:"detail,omitempty"` // the latest circumstances (output, error text); not part of the identity
	Tags    []string `json:"tags,omitempty" holds:"label"`

	// Title states a fact in at most MaxTitle characters; other memories have none. Area is the part of the project or work that
	// it belongs to, in a word or two; empty if the author named none.
	Title string `json:"title,omitempty"`
	Area  string `json:"area,omitempty" holds:"label"`

	// Cues are the tasks, situations, questions, files and commands that call for a fact, in
	// the words that a person would type then. Only facts have them.
	Cues []string `json:"cues,omitempty"`
	// Everywhere marks a fact that nearly every session of the project needs.
	Everywhere bool `json:"everywhere,omitempty"`

	// Files are the paths it is about, relative to the project's root. Command and Signature are the command and the error it is
	// about, as CommandKey and ErrorSignature normalise them.
	Files     []string `json:"files,omitempty"`
	Command   string   `json:"command,omitempty"`
	Signature string   `json:"signature,omitempty"`

	// Session is the session in which it was last seen.
	Session string `json:"session,omitempty" holds:"id"`

	// Asked: a person asked to keep it. It is set only in an index.
	Asked bool `json:"-" column:"-"`

	Importance float64 `json:"importance"` // 0 to 1
	Pinned     bool    `json:"pinned,omitempty"`

	// TokenCount is the number of tokens of the memory's line. It is counted for answers and for prune, and not stored.
	TokenCount int `json:"token_count,omitempty" column:"-"`

	CreatedAt  time.Time `json:"created_at"`
	LastSeenAt time.Time `json:"last_seen_at"`
}

// Project is a body of work that shares memories: one repository with all its worktrees, or one directory.
type Project struct {
	Key    string    `json:"key" column:"id,of project"`
	Name   string    `json:"name" holds:"place"`
	Root   string    `json:"root" holds:"place"`
	SeenAt time.Time `json:"seen_at,omitzero"`
	// Parts are further remotes of the repository, such as its present one if Key is an older one. Only letters have them.
	Parts []string `json:"parts,omitempty" column:"-" holds:"place"`
}

// SessionState is the stage of a session's life.
type SessionState string

// The states in their order. The latest start, prompt or end event sets the state. The daemon completes an ended
// session when it adds the summary, and abandons a session without an event for a day (config.Maintenance.CloseAfter).
const (
	SessionActive      SessionState = "active"
	SessionSummarising SessionState = "summarising"
	SessionCompleted   SessionState = "completed"
	SessionAbandoned   SessionState = "abandoned"
)

func (s SessionState) IsOver() bool {
	return s == SessionSummarising || s == SessionCompleted || s == SessionAbandoned
}

// Session is one conversation of the client, identified by the client's session id.
type Session struct {
	ID       string       `json:"id"`
	Project  string       `json:"project" holds:"id"`
	Dir      string       `json:"dir" holds:"place"`
	Client   string       `json:"client,omitempty" holds:"word"` // the coding agent: codex, or empty for Claude Code
	Source   string       `json:"source" holds:"word"`           // how it started last: startup, resume, clear, compact, fork
	SourceAt time.Time    `json:"source_at,omitzero"`            // time of the start with this source; zero if unknown
	State    SessionState `json:"state"`
	// StateAt is the time of the newest event that decides State; if zero, the session counts as active.
	StateAt     time.Time `json:"state_at,omitzero"`
	StartedAt   time.Time `json:"started_at"`
	LastEventAt time.Time `json:"last_event_at"`
	EndedAt     time.Time `json:"ended_at,omitzero" column:"ended_at,optional"`
	EndReason   string    `json:"end_reason,omitempty" holds:"word"` // reason given by the client, or EndImported
	PromptCount int       `json:"prompt_count" column:"-"`
	Summary     Summary   `json:"summary"`
	// First is the first prompt of a session without a summary; only MethodSessions fills it.
	First string `json:"first,omitempty" column:"-"`
}

// EndImported is the EndReason of a session that was imported, until it goes on.
const EndImported = "imported"

// Summary is the summary of a session, as recall renders it, with the parts of its text.
type Summary struct {
	Text   string `json:"text" column:"summary"`
	Digest Digest `json:"digest,omitzero" column:"digest,object"`
}

// Words returns the text without the time with which it begins.
func (s Summary) Words() string {
	const time = len("2006-01-02 15:04")
	if before, words, isDated := strings.Cut(s.Text, " UTC: "); isDated && len(before) == time {
		return words
	}
	return s.Text
}

// Digest describes a session in seven fields, written by rules or a model. Empty fields had no finding.
type Digest struct {
	Request       string   `json:"request,omitempty"`        // the task
	Investigated  string   `json:"investigated,omitempty"`   // the subjects that were looked into
	Learned       string   `json:"learned,omitempty"`        // statements and conclusions
	Completed     string   `json:"completed,omitempty"`      // the work done in the end
	NextSteps     string   `json:"next_steps,omitempty"`     // the open ends
	FilesRead     []string `json:"files_read,omitempty"`     // file names, in the order of the last touch
	FilesModified []string `json:"files_modified,omitempty"` // file names, in the order of the last touch
	// Source is SourceAssistant if a model wrote it; empty: rules did.
	Source Source `json:"source,omitempty"`
}

// IsZero reports whether the digest has no text.
func (d Digest) IsZero() bool { return len(d.Fields()) == 0 }

// Append joins the digests of a session's first part (d) and rest (next): what was asked at first, and how it went on.
func (d Digest) Append(next Digest) Digest {
	return Digest{
		Request: cmp.Or(d.Request, next.Request), Investigated: cmp.Or(next.Investigated, d.Investigated), Learned: cmp.Or(next.Learned, d.Learned),
		Completed: cmp.Or(next.Completed, d.Completed), NextSteps: next.NextSteps, Source: cmp.Or(next.Source, d.Source),
	}
}

// Fields returns the names and texts of the fields that are not empty.
func (d Digest) Fields() [][2]string {
	all := [][2]string{
		{"request", d.Request},
		{"investigated", d.Investigated},
		{"learned", d.Learned},
		{"completed", d.Completed},
		{"next steps", d.NextSteps},
		{"files read", strings.Join(d.FilesRead, ", ")},
		{"files modified", strings.Join(d.FilesModified, ", ")},
	}
	return slices.DeleteFunc(all, func(field [2]string) bool { return field[1] == "" })
}

// Lines returns the fields that are not empty, each on a line.
func (d Digest) Lines() string {
	var lines strings.Builder
	for _, field := range d.Fields() {
		lines.WriteString(field[0] + ": " + field[1] + "\n")
	}
	return lines.String()
}

// Prompt is a prompt of the user, without its private parts.
type Prompt struct {
	ID      string    `json:"id"`                          // the id of its event
	Number  int       `json:"number,omitempty" column:"-"` // within its session, from 1; set by reading
	Session string    `json:"session" column:"session,of session"`
	Project string    `json:"project" holds:"id"`
	Text    string    `json:"text"`
	At      time.Time `json:"at"`
}

// Sighting records that a memory was seen in an event of a session. Its id is the event's, or begins with it, so that
// ingesting an event again counts once.
type Sighting struct {
	ID      string    `json:"id"`
	Memory  string    `json:"memory" column:"in,of memory"`
	Session string    `json:"session" column:"out,of session"`
	At      time.Time `json:"at"`
}

// SessionEvent is what a session's record keeps of an event: an edit, a command, the end of a turn, a compaction. It is not a
// memory: recall never returns it, and it is deleted when it is old enough. Its id is the event's.
type SessionEvent struct {
	ID      string    `json:"id"`
	Session string    `json:"session,omitempty" column:"-" holds:"id"` // the session of its row
	Kind    EventKind `json:"kind"`
	At      time.Time `json:"at"`
	Text    string    `json:"text,omitempty"`   // text, on one line if the event is a tool's
	Detail  string    `json:"detail,omitempty"` // output, error text, the new text of a file
	// Files, Command and Signature are as in Memory.
	Files     []string `json:"files,omitempty"`
	Command   string   `json:"command,omitempty"`
	Signature string   `json:"signature,omitempty"`
}

// IsActivity reports whether a tool, a subagent or a task did something, beyond reading a file.
func (e SessionEvent) IsActivity() bool {
	switch e.Kind {
	case EventFileChanged, EventCommandSucceeded, EventCommandFailed, EventSubagentReported, EventTaskCompleted:
		return true
	case EventToolUsed:
		return len(e.Files) == 0
	default:
		return false
	}
}

// EventRow is the stored row of one session's events from one batch, in the order of time. It is never changed: events that come
// again in other batches are in several rows, and a reader takes each once.
type EventRow struct {
	ID      string         `json:"id"`
	Session string         `json:"session" column:"session,of session"`
	At      time.Time      `json:"at"` // time of the last event
	Events  []SessionEvent `json:"events"`
}

// EventRows returns the rows of a batch's events, one for each session, ordered by session. The id of a row is a hash
// of the ids of its events.
func EventRows(events []SessionEvent) []EventRow {
	of := map[string][]SessionEvent{}
	for _, e := range events {
		of[e.Session] = append(of[e.Session], e)
	}
	rows := make([]EventRow, 0, len(of))
	for _, session := range slices.Sorted(maps.Keys(of)) {
		row := EventRow{Session: session, Events: OfSession(session, of[session])}
		parts := []string{session}
		for i := range row.Events {
			parts, row.Events[i].Session = append(parts, row.Events[i].ID), ""
		}
		row.ID, row.At = digest(parts...), row.Events[len(row.Events)-1].At
		rows = append(rows, row)
	}
	return rows
}

// OfSession returns events with their session set, each once, in the order of time.
func OfSession(session string, events []SessionEvent) []SessionEvent {
	all := slices.Clone(events)
	slices.SortStableFunc(all, func(a, b SessionEvent) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	all = slices.CompactFunc(all, func(a, b SessionEvent) bool { return a.ID == b.ID })
	for i := range all {
		all[i].Session = session
	}
	return all
}

// Injection records that a memory was injected into a session's context.
type Injection struct {
	ID      string `json:"id"`
	Memory  string `json:"memory" column:"in,of memory"`
	Session string `json:"session" column:"out,of session"`
	// Subagent is the client's id of the receiving subagent; empty for the session itself.
	Subagent string    `json:"subagent,omitempty" holds:"id"`
	Hook     string    `json:"hook" holds:"word"` // the recall purpose, such as prompt or read
	At       time.Time `json:"at"`
}

// Newest sorts sessions by their last event, the newest first, and returns up to limit of them.
func Newest(sessions []Session, limit int) []Session {
	slices.SortFunc(sessions, func(a, b Session) int {
		return cmp.Or(b.LastEventAt.Compare(a.LastEventAt), cmp.Compare(a.ID, b.ID))
	})
	return sessions[:min(limit, len(sessions))]
}

// TrueFirst compares two bools: true comes before false.
func TrueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// EndedFirst compares sessions by their last event, the oldest first.
func EndedFirst(a, b Session) int {
	return cmp.Or(a.LastEventAt.Compare(b.LastEventAt), cmp.Compare(a.ID, b.ID))
}

// HasTag reports whether a memory has a tag, ignoring case: stored tags are in lower case, but imported ones may not be.
func (m Memory) HasTag(tag string) bool { return hasTag(m.Tags, tag) }

func hasTag(tags []string, tag string) bool {
	return slices.ContainsFunc(tags, func(one string) bool { return strings.EqualFold(OneLine(one), OneLine(tag)) })
}
