// Package intake stores what comes from outside: it makes batches of rows from spooled, imported and replayed events
// and from changes by hand, commits and journals them, and calls the subscribers with each commit.
package intake

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/receipts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
)

// Store has the methods of the store that this package needs; package storetest describes each.
type Store interface {
	Ingest(ctx context.Context, b memory.Batch) error
	Conclude(ctx context.Context, b memory.Batch, sessions []string, isDue map[string]bool,
		derive func([]memory.SessionRecord) memory.Batch) (memory.Conclusion, error)
	memory.RowReader
	Amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error)
	Commit(ctx context.Context, c memory.Commit) (missed []string, err error)
	History(ctx context.Context, id string) (memory.History, error)
	Decisions(ctx context.Context, ids []string) ([]memory.Decision, error)
	memory.SessionLister
	memory.RecordReader
}

// Committed has the rows of one commit.
type Committed struct {
	// Events are the captured events; none for an import or a change by hand.
	Events []memory.Event
	// Memories are the memories that were written or changed.
	Memories []memory.Memory
	// Sessions are the sessions that ended or continued after their end.
	Sessions []memory.Session
	// All is set if anything may have changed: caches must be read again.
	All bool
}

// ErrHomeLost means that the home was deleted or replaced while the daemon ran, and the spool is another daemon's.
var ErrHomeLost = errors.New("the daemon's home was deleted or replaced")

// CheckOwned returns ErrHomeLost if the spool now belongs to another daemon.
func (in *Intake) CheckOwned() error {
	if in.Owned != nil && !in.Owned() {
		return ErrHomeLost
	}
	return nil
}

// Intake stores events and changes. Its methods are safe for concurrent use.
type Intake struct {
	Store     Store
	Spools    *spool.Set
	Counter   memory.TokenCounter
	BatchSize int // maximum number of events taken from a spool at once
	Log       *slog.Logger
	Now       func() time.Time
	Aliases   *Aliases
	// Owned reports whether the spools still belong to this daemon; nil if they always do.
	Owned func() bool
	// Clean removes secrets from a text before it is stored.
	Clean func(string) string
	// Purged returns the list of what must not be stored again.
	Purged func() *purged.List

	// OnlyAsked reports whether only explicit requests become memories (capture.keep).
	OnlyAsked func() bool
	// Receipts takes messages for the user.
	Receipts *receipts.Receipts
	// Nearest returns the active memory of a project that is most like a new one, or the zero memory.
	Nearest func(ctx context.Context, project string, m memory.Memory) (memory.Memory, error)

	// CanWrite returns nil if the store accepts a write now: then a batch that failed has a bad event. Without CanWrite no event is blamed.
	CanWrite func(ctx context.Context) error
	// HasSchema returns memory.ErrSchema if the store has another version's schema; nil for a store that never has.
	HasSchema func(ctx context.Context) error

	lastWords   lastWords
	writing     sync.Mutex // held while something is stored
	failures    failures
	claiming    sync.RWMutex            // guards claimed, and the spool's events against being claimed
	claimed     []memory.Event          // the events that are being stored
	imported    map[string][]occurrence // by session with late events: what an import stored of it; kept while the spools are emptied
	ended       []memory.Event          // ends of sessions since the last TakeBack, and prompts whose turns have ended
	asked       map[string]memory.Event // by session: the last prompt that asks to keep something in all projects, until its turn ends
	takingBack  sync.Mutex              // held by TakeBack
	reads       filestate.ReadLimiter
	subscribers []func(context.Context, Committed)
}

// Subscribe makes each commit call reader, in the order of the commits and before the committing call returns. It must be called before the first commit.
func (in *Intake) Subscribe(reader func(context.Context, Committed)) {
	in.subscribers = append(in.subscribers, reader)
}

func (in *Intake) publish(ctx context.Context, c Committed) {
	for _, notify := range in.subscribers {
		notify(ctx, c)
	}
}

// LearnAliases reads which projects were merged, unless the cached aliases are recent enough.
func (in *Intake) LearnAliases(ctx context.Context) error {
	changed, err := in.Aliases.Learn(ctx)
	if changed {
		in.publish(ctx, Committed{All: true})
	}
	return err
}

// Rewrite calls change, which changes whole projects, while no other write runs. It makes subscribers drop their caches.
func (in *Intake) Rewrite(ctx context.Context, change func(context.Context) error) error {
	in.writing.Lock()
	defer in.writing.Unlock()
	err := change(ctx)
	in.Aliases.Expire()
	if learnErr := in.LearnAliases(ctx); learnErr != nil && err == nil {
		err = learnErr
	}
	in.publish(ctx, Committed{All: true})
	return err
}
