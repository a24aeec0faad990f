// Package briefing selects the memories that are injected into a conversation: at its start, for
// a prompt, a file or a command. It caches an index and the start of each project in use, and
// updates them after each commit of intake. It never writes memories; package answers serves
// the questions of people.
package briefing

import (
	"context"
	"log/slog"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// Store is the store that this package reads. Package storetest describes each method.
type Store interface {
	memory.RowReader
	memory.SessionLister
	memory.RecordReader
	memory.KeyReader
}

// Intake stores events. Events in the spools may matter at a session's start.
type Intake interface {
	Pending(ctx context.Context, project, id string) (ended []memory.Session, mustWait bool)
	IngestFor(ctx context.Context, project, id string) error
	Paused(f func() error) error
}

// Instructions finds memories in the files that clients load by themselves.
type Instructions interface {
	// FileFinder returns a function that names the instruction file with the content of a memory,
	// or "". The files are those of a client that works on dir, below root. The function is nil
	// if no file has been read.
	FileFinder(ctx context.Context, client, root, dir string) func(memory.Memory) string
}

// OwnMemory is the memory that Claude Code maintains itself and that was imported as facts.
type OwnMemory interface {
	// Of returns the name of the file with the fact m, in the memory folder that the client loads for root, or "".
	Of(root string, m memory.Memory) string
}

// Options configure a Briefing.
type Options struct {
	Store    Store
	Intake   Intake
	Sessions *session.Sessions
	Counter  memory.TokenCounter
	Log      *slog.Logger
	Now      func() time.Time
	// Hooks holds the limits of the answers to hooks.
	Hooks config.Hooks
	// Shared is set if daemons of other machines may write to the store.
	Shared bool

	// Instructions are the instruction files that clients load. Nil disables the comparison.
	Instructions Instructions

	// OwnMemory is the client's own memory; may be nil.
	OwnMemory OwnMemory
}

// Briefing answers from its indexes and caches. Its methods are safe for concurrent
// use.
type Briefing struct {
	Options
	indexes indexes
	cores   *lru.Cache[string, english.Core]
}

// maxCores bounds the memories whose core words are cached.
const maxCores = 4096

// New makes an empty Briefing.
func New(o Options) *Briefing {
	o.Counter = newCounting(o.Counter)
	return &Briefing{
		Options: o,
		indexes: indexes{entries: bounded[string, *projectIndex](maxIndexes)},
		cores:   bounded[string, english.Core](maxCores),
	}
}

// Count returns a memory with the tokens of its line in the current encoding.
func (b *Briefing) Count(m memory.Memory) memory.Memory { return render.Counted(m, b.Counter) }

// maxCounted limits the lines whose token counts are cached: about as many as the starts of a few projects choose
// from, some 200 bytes each.
const maxCounted = 4096

// counting is a TokenCounter that counts each line once: a start offers the same hundreds of lines each time, and
// counting a line takes about 0.1 ms.
type counting struct {
	memory.TokenCounter
	held *lru.Cache[counted, int]
}

// counted is a text, and the encoding in which its tokens are counted.
type counted struct{ encoding, text string }

func newCounting(c memory.TokenCounter) counting {
	return counting{c, bounded[counted, int](maxCounted)}
}

// Count implements memory.TokenCounter.
func (c counting) Count(text string) int {
	key := counted{c.Encoding(), text}
	n, isHeld := c.held.Get(key)
	if !isHeld {
		n = c.TokenCounter.Count(text)
		c.held.Add(key, n)
	}
	return n
}

// bounded returns an empty LRU cache of at most size entries.
func bounded[K comparable, V any](size int) *lru.Cache[K, V] {
	cache, err := lru.New[K, V](size)
	if err != nil { // only for a size below one
		panic(err)
	}
	return cache
}
