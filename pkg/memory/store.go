package memory

import (
	"errors"
	"fmt"
	"time"
)

// The errors a caller can act on. Adapters wrap them with the name of the operation.
var (
	// ErrNotFound: there is no such row.
	ErrNotFound = errors.New("not found")
	// ErrInvalid: the input can never be stored as it is.
	ErrInvalid = errors.New("invalid")
	// ErrUnavailable: the store cannot be reached now; the same call may work later.
	ErrUnavailable = errors.New("store unavailable")
	// ErrStorage: the store can be reached and cannot write or read: its disk is full or fails, or its tables
	// were deleted. It is ErrUnavailable, too.
	ErrStorage = fmt.Errorf("%w: its storage fails", ErrUnavailable)
	// ErrSchema: the store has not the schema that this version writes; nothing that it refuses is to blame. It is
	// ErrUnavailable, too.
	ErrSchema = fmt.Errorf("%w: it has not the schema of this version", ErrUnavailable)
	// ErrDamaged: the store's files are damaged; only a rebuild helps. It is ErrUnavailable, too.
	ErrDamaged = fmt.Errorf("%w: its files are damaged", ErrUnavailable)
)

// Batch holds the writes of one ingest, all of them or none.
type Batch struct {
	Projects      []Project      `json:"projects,omitempty"`
	Sessions      []Session      `json:"sessions,omitempty"`
	Prompts       []Prompt       `json:"prompts,omitempty"`
	Memories      []Memory       `json:"memories,omitempty"` // each id once
	Sightings     []Sighting     `json:"sightings,omitempty"`
	Files         []File         `json:"files,omitempty"`
	SessionEvents []SessionEvent `json:"session_events,omitempty"`
	Days          []ActiveDay    `json:"days,omitempty"`
	Derived       []Derivation   `json:"derived,omitempty"`
	// UserWritten are the ids of the memories that a person asked to be kept.
	UserWritten []string `json:"user_written,omitempty"`
	// Summaries are of sessions that are over.
	Summaries []SessionSummary `json:"summaries,omitempty"`
	// Injections and Uses may be lost without harm: they are written late, each once.
	Injections []Injection `json:"injections,omitempty"`
	Uses       []Use       `json:"uses,omitempty"`
	// Queued are sessions to distil. One that is being distilled stays as it is, and so does one that waits, unless it
	// has not failed and is to be tried earlier.
	Queued []Distillation `json:"queued,omitempty"`
	Spent  []Spend        `json:"spent,omitempty"` // each replaces the one of the same id
}

// SessionSummary is the summary of a session.
type SessionSummary struct {
	Session string  `json:"session" column:"id"`
	Summary Summary `json:"summary"`
}

// Filter selects memories; an empty field selects all.
type Filter struct {
	Project  string // all if empty
	Scope    Scope  // all if empty; the user's own memories have no project
	Kinds    []Kind
	Statuses []Status
	Limit    int // 0 means 100
	// Judged selects, whatever the other fields say, all that have the tag confirmed or put_away, of all projects, in any
	// order; not forgotten ones.
	Judged bool
}

// RowQuery selects rows in one of four ways: by IDs, Due, UncountedBy or Status, the first that is set. None is none.
type RowQuery struct {
	// IDs are those of the rows, which come in any order. Only these rows have their sessions and projects counted anew
	// from the sightings.
	IDs []string
	// Due are readings of projects' clocks, by the keys ("" for the user's): the active and archived rows of these
	// projects whose strength is to be looked at by then, up to Limit of each project, the longest due first.
	Due map[string]float64
	// UncountedBy is an encoding: rows whose tokens were not counted by it, in any order.
	UncountedBy string
	// Status is that of rows of a project (of the user for ""), in the order of PageOrder: the one retired last first, or
	// where none was retired the one seen last. The cost does not grow with the number of the others.
	Status  Status
	Project string
	After   string // the PageOrder of the last row of the page before; empty for the first page
	Bare    bool   // the texts may be left out

	Limit int // 0 means 100
}

// PageOrder is the place of a row among those of its status: a text that sorts.
func PageOrder(row Row) string {
	at := row.RetiredAt
	if at.IsZero() {
		at = row.Memory.LastSeenAt
	}
	return fmt.Sprint(9999999999-at.Unix()) + row.Memory.ID
}

// AroundQuery asks for the memories last seen around a time: at most Before memories
// until then, that instant included, and After later ones.
type AroundQuery struct {
	Project       string
	At            time.Time
	Before, After int
}

// Hit is a memory with its relevance, which only orders hits of one query.
type Hit struct {
	Memory Memory  `json:"memory"`
	Score  float64 `json:"score"`
	// Share is how much of the question's topic the memory has, 0 to 1.
	Share float64 `json:"share"`
}

// SessionQuery selects sessions, the newest first; an empty field selects all.
type SessionQuery struct {
	IDs     []string // only these, of those that are there, in any order; nil: all
	Project string
	// Silent selects those that are not over and had no event since then. Their digests may be left out.
	Silent  time.Time
	Limit   int  // 0 means 100
	Counted bool // has their prompts and notifications counted
}

// SessionRecord holds all that is known of one session.
type SessionRecord struct {
	Session       Session
	Prompts       []Prompt
	Seen          []Seen
	SessionEvents []SessionEvent
}

// Seen is a memory with the time a session showed it, by the event of that id.
type Seen struct {
	ID     string
	Memory Memory
	At     time.Time
}

// StartQuery asks for the context of a starting session.
type StartQuery struct {
	Project string
	Session string // the starting session itself, whose own summary is left out
	// Limit bounds the rows of each section.
	Limit int
}

// StartContext holds the rows of each section, the best first.
type StartContext struct {
	Todos       []Memory  // of the project and of the user
	Conventions []Memory  // conventions, corrections, decisions and notes of both, and preferences of the project
	Failing     []Memory  // the commands that keep failing, as facts of maintenance
	Summaries   []Session // without their prompt counts
	Preferences []Memory  // of the user
	// Facts are all that IsFact, whatever their kind. The limit is for each kind.
	Facts []Memory
	// Areas are those of all facts, the area of the newest first; FactIDs are the shortest
	// unique ids of Facts. Stores do not set them.
	Areas   []Area
	FactIDs map[string]string
}

// Area is a part of a project or of the work, with the number of its facts that are left out
// because others are worth more.
type Area struct {
	Name    string
	LeftOut int
}

// StartKinds lists the kinds of facts that a start tells.
func StartKinds() []Kind {
	return []Kind{KindTodo, KindConvention, KindCorrection, KindDecision, KindNote, KindPreference, KindDiscovery, KindFix}
}

// TokenCount is a count with the encoding that made it.
type TokenCount struct {
	Tokens   int    `json:"tokens"`
	Encoding string `json:"encoding"`
}

// Holding is the part of the counts that people are told of a project.
func (s Stats) Holding() Holding {
	return Holding{Memories: s.Memories, Sessions: s.Sessions, Prompts: s.Prompts}
}

// Stats counts the rows of a store, or of a project; then only the first three.
type Stats struct {
	Memories      int `json:"memories"`
	Sessions      int `json:"sessions"`
	Prompts       int `json:"prompts"`
	Projects      int `json:"projects"`
	Files         int `json:"files"`
	Sightings     int `json:"sightings"`
	SessionEvents int `json:"session_events"`
	Runs          int `json:"runs"`
}
