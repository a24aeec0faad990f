package memory

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// The errors a caller can act on. Adapters wrap them with the name of the operation.
var (
	// ErrNotFound: there is no such row.
	ErrNotFound = errors.New("not found")
	// ErrInvalid: the input can never be stored as it is.
	ErrInvalid = errors.New("invalid")
	// ErrRefused: the person as whom the store is used has not the right to write that.
	ErrRefused = errors.New("the store refuses it: the right to write it is missing; memory team shows yours")
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
}

// SessionSummary is the summary of a session.
type SessionSummary struct {
	Session string  `json:"session"`
	Summary Summary `json:"summary"`
}

// Filter selects memories; an empty field selects all.
type Filter struct {
	Project  string // all if empty
	Scope    Scope  // all if empty; the user's own memories have no project
	Kinds    []Kind
	Statuses []Status
	Limit    int // 0 means 100
}

// PageQuery asks for the memories of a project with a status, the one retired last first,
// or where none was retired the one seen last.
type PageQuery struct {
	Project string // empty: the user's
	Status  Status
	After   string // the Order of the last one of the page before; empty for the first page
	Limit   int    // 0 means 100
}

// Paged is a row with its place among the pages: a text that sorts. Its sessions and
// projects are not counted.
type Paged struct {
	Row
	Order string
}

// PageOrder is the place of a row among the pages.
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
	// Facts are those that a model wrote, whatever their kind. The limit is for each kind.
	Facts []Memory
	// FactCount and Topics are of all facts, also of those that are left out of Facts
	// because others are worth more. Stores do not set them.
	FactCount int
	Topics    []string
}

// With adds the rows of another context, and keeps the best of each section.
func (c StartContext) With(other StartContext, limit int) StartContext {
	known := map[string]bool{}
	both := func(a, b []Memory) []Memory {
		clear(known)
		return slices.DeleteFunc(slices.Concat(a, b), func(m Memory) bool {
			defer func() { known[m.ID] = true }()
			return known[m.ID]
		})
	}
	c.Todos = Best(both(c.Todos, other.Todos), limit)
	c.Conventions = Best(both(c.Conventions, other.Conventions), limit)
	c.Failing = Best(both(c.Failing, other.Failing), limit)
	c.Preferences = Best(both(c.Preferences, other.Preferences), limit)
	facts := both(c.Facts, other.Facts)
	c.Facts = Best(facts, len(facts))
	c.Summaries = Newest(slices.Concat(c.Summaries, other.Summaries), limit)
	return c
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

// Stats counts the rows of a store.
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
