// Package briefing answers what a conversation is to be told: at its start, for a
// prompt, a file or a command, and when somebody asks. It holds an index and the
// start of each project in use, and keeps them true to what intake commits. It
// refuses to write memories.
package briefing

import (
	"context"
	"log/slog"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// Store is what this package reads. Package storetest describes each method.
type Store interface {
	memory.Reader
	Memories(ctx context.Context, f memory.Filter) ([]memory.Memory, error)
	Recallable(ctx context.Context, project string) ([]memory.Row, error)
	Rows(ctx context.Context, ids []string) ([]memory.Row, error)
	Around(ctx context.Context, q memory.AroundQuery) ([]memory.Memory, error)
	StartContext(ctx context.Context, q memory.StartQuery) (memory.StartContext, error)
	SessionRecord(ctx context.Context, session string) (memory.SessionRecord, error)
	ActiveDays(ctx context.Context) (map[string][]string, error)
	History(ctx context.Context, id string) (memory.History, error)
}

// Intake is what stores events. What waits in the spools may be worth knowing at a
// session's start.
type Intake interface {
	WaitsFor(id string) bool
	EmptySpools(ctx context.Context) error
	Paused(f func() error) error
}

// Options are what a Briefing works with.
type Options struct {
	Store    Store
	Intake   Intake
	Sessions *session.Sessions
	Counter  tokens.Counter
	Log      *slog.Logger
	Now      func() time.Time
	// Weights rank memories; SafetyFactor, at least 1, divides each token budget.
	Weights      recall.Weights
	SafetyFactor float64
	Rules        policy.Rules
	// Shared says that agents of other machines may write to the store.
	Shared bool

	// Clean takes secrets out of a question before it is sent to the Embedder; nil:
	// it is sent as it is.
	Clean func(string) string

	// Embedder finds what is near by its embedding, and Vectors keeps it; nil: words
	// alone decide.
	Embedder   Embedder
	Vectors    memory.VectorStore
	Embeddings config.Embeddings
}

// Briefing answers from what it holds. Its methods are safe for concurrent use.
type Briefing struct {
	Options
	starts     startCache
	indexes    indexes
	embeddings embeddings
	cores      *lru.Cache[string, recall.Core]
}

// maxCores bounds the memories whose core words are cached.
const maxCores = 4096

// New makes a Briefing that holds nothing yet.
func New(o Options) *Briefing {
	return &Briefing{
		Options:    o,
		starts:     startCache{entries: bounded[string, cachedStart](maxStarts)},
		indexes:    indexes{entries: bounded[string, *projectIndex](maxIndexes)},
		cores:      bounded[string, recall.Core](maxCores),
		embeddings: embeddings{sets: map[string]*recall.Vectors{}},
	}
}

// bounded makes a cache that drops the entry unused for the longest.
func bounded[K comparable, V any](size int) *lru.Cache[K, V] {
	cache, err := lru.New[K, V](size)
	if err != nil { // only for a size below one
		panic(err)
	}
	return cache
}

// count gives a memory the tokens of its line by the encoding in use.
func (b *Briefing) count(m memory.Memory) memory.Memory { return render.Counted(m, b.Counter) }
