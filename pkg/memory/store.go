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

// Hit is a memory with its relevance, which only orders hits of one query.
type Hit struct {
	Memory Memory  `json:"memory"`
	Score  float64 `json:"score"`
	// Share is how much of the question's topic the memory has, 0 to 1.
	Share float64 `json:"share"`
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
