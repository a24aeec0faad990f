package memory

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The errors a caller can act on. Adapters wrap them with what was being done.
var (
	// ErrNotFound: there is no such row.
	ErrNotFound = errors.New("not found")
	// ErrInvalid: the input can never be stored as it is.
	ErrInvalid = errors.New("invalid")
	// ErrUnavailable: the store cannot be reached now; the same call may work later.
	ErrUnavailable = errors.New("store unavailable")
	// ErrStorage: the store can be reached and cannot write or read: its disk is full or fails. It is ErrUnavailable, too.
	ErrStorage = fmt.Errorf("%w: its storage fails", ErrUnavailable)
	// ErrDamaged: the store's files are damaged; only a rebuild helps. It is ErrUnavailable, too.
	ErrDamaged = fmt.Errorf("%w: its files are damaged", ErrUnavailable)
)

// Batch is what one ingest writes, all of it or nothing.
type Batch struct {
	Projects  []Project
	Sessions  []Session
	Prompts   []Prompt
	Memories  []Memory
	Sightings []Sighting
	Files     []File
	Links     []Link
	Moments   []Moment
	Days      []ActiveDay
	// UserWritten are the ids of the memories that a person asked to be kept.
	UserWritten []string
	// Injections may be lost without harm: they are written late and once. So may
	// Uses, each of which counts once.
	Injections []Injection
	Uses       []Use
}

// Store keeps memories. Every implementation passes storetest.
type Store interface {
	Searcher
	Maintainer
	Administrator
	Archive
	Exporter

	// Ingest writes a batch in one transaction. Writing it again, or its parts
	// in another order, leaves the same rows: of a session and a memory the
	// newest event's view wins, sightings and prompts count once by their id.
	Ingest(ctx context.Context, b Batch) error

	// Memory returns one memory, or ErrNotFound.
	Memory(ctx context.Context, id string) (Memory, error)
	// Memories lists what a filter asks for, the most important and then the
	// newest first.
	Memories(ctx context.Context, f Filter) ([]Memory, error)
	// CountMemories counts what a filter asks for, whatever its limit.
	CountMemories(ctx context.Context, f Filter) (int, error)

	// Recallable returns every active row of a project and of the user.
	Recallable(ctx context.Context, project string) ([]Row, error)
	// Injected returns the ids of what was injected into a session after a time, but
	// not into a subagent of it.
	Injected(ctx context.Context, session string, after time.Time) ([]string, error)

	// Session returns one session, or ErrNotFound.
	Session(ctx context.Context, id string) (Session, error)
	// Activity returns what happened in a session, in the order it happened,
	// and by the events' ids where that was at the same time.
	Activity(ctx context.Context, session string) (Activity, error)
	// Summarise sets the summary of a session that is over, and its state: from
	// summarising to completed. ErrNotFound if there is none.
	Summarise(ctx context.Context, session string, s Summary) error
	// Silent lists the sessions that are not over and had no event since a time.
	Silent(ctx context.Context, since time.Time, limit int) ([]Session, error)

	// StartContext returns what a starting session of a project may be given,
	// without what another memory has superseded.
	StartContext(ctx context.Context, q StartQuery) (StartContext, error)

	// Uncounted returns up to limit memories whose tokens were not counted by
	// the named encoding.
	Uncounted(ctx context.Context, encoding string, limit int) ([]Memory, error)
	// Runs lists the newest maintenance runs first, without their actions.
	Runs(ctx context.Context, limit int) ([]Run, error)

	// Amend changes one memory and records the change as a run of its own, in one
	// transaction. It returns the memory as it was, and as it is now: another one
	// if the change replaced it, with an edge from the new to the old, which is
	// archived and kept. A change that changes nothing is not recorded.
	// ErrNotFound, or ErrInvalid if the memory cannot be changed like that.
	Amend(ctx context.Context, id string, c Change) (before, after Memory, err error)
	// ExpandID returns the one id that begins with the given digits, at least six.
	// ErrNotFound if there is none, ErrInvalid if there are several.
	ExpandID(ctx context.Context, beginning string) (string, error)
	// Around returns the active memories of a project next to a time, the oldest
	// first: those last seen until then, and those after it.
	Around(ctx context.Context, q AroundQuery) ([]Memory, error)

	// Stats counts the rows of the store.
	Stats(ctx context.Context) (Stats, error)
}

// Searcher finds memories by words.
type Searcher interface {
	// Search returns the active memories of a project and of the user that
	// share at least one word with the text, the best first.
	Search(ctx context.Context, q SearchQuery) ([]Hit, error)
}

// Filter selects memories; an empty field selects all.
type Filter struct {
	Project  string
	Kinds    []Kind
	Statuses []Status
	Limit    int // 0 means 100
}

// SearchQuery is what Search looks for.
type SearchQuery struct {
	Project string
	Text    string
	Limit   int // 0 means 20
}

// AroundQuery asks for what was last seen around a time: at most Before memories
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
}

// Activity is what is known of one session.
type Activity struct {
	Session Session
	Prompts []Prompt
	Seen    []Seen
	Moments []Moment
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
	Todos       []Memory
	Conventions []Memory  // conventions, decisions and notes of the project
	Summaries   []Session // without their prompt counts
	Preferences []Memory
}

// TokenCount is a count with the encoding that made it.
type TokenCount struct {
	Tokens   int    `json:"tokens"`
	Encoding string `json:"encoding"`
}

// Stats counts what a store holds.
type Stats struct {
	Memories  int `json:"memories"`
	Sessions  int `json:"sessions"`
	Prompts   int `json:"prompts"`
	Projects  int `json:"projects"`
	Files     int `json:"files"`
	Sightings int `json:"sightings"`
	Moments   int `json:"moments"`
	Runs      int `json:"runs"`
}
