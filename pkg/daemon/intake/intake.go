// Package intake is the one way into the store: it makes a batch of spooled, imported and replayed
// events, and of changes by hand, commits and journals it, and then publishes it to the
// subscribers, on which it does not depend.
package intake

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/receipts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
)

// Store is the store that this package reads and writes. Package storetest describes each
// method.
type Store interface {
	Ingest(ctx context.Context, b memory.Batch) error
	Conclude(ctx context.Context, b memory.Batch, sessions []string, isDue map[string]bool,
		derive func([]memory.SessionRecord) memory.Batch) (memory.Conclusion, error)
	memory.RowReader
	Amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error)
	Commit(ctx context.Context, c memory.Commit) (missed []string, err error)
	History(ctx context.Context, id string) (memory.History, error)
	memory.SessionLister
	memory.RecordReader
}

// Committed holds the rows that one commit brought into the store.
type Committed struct {
	// Events are the captured events; an import and a change by hand have none.
	Events []memory.Event
	// Memories are the memories that were written or changed.
	Memories []memory.Memory
	// Sessions are those that have ended, or go on again.
	Sessions []memory.Session
	// More is set if another commit follows at once: a subscriber may wait for it before reading
	// anew.
	More bool
	// All is set if anything may have changed, so that caches must be read again.
	All bool
}

// ErrNotOurs means that the spool now belongs to another daemon, because the home was deleted or
// replaced while this one ran.
var ErrNotOurs = errors.New("the daemon's home was deleted or replaced")

// NotOurs returns ErrNotOurs if the spool now belongs to another daemon.
func (in *Intake) NotOurs() error {
	if in.Owned != nil && !in.Owned() {
		return ErrNotOurs
	}
	return nil
}

// Intake stores events and changes. Its methods are safe for concurrent use.
type Intake struct {
	Store     Store
	Spools    *spool.Set
	Counter   memory.TokenCounter
	BatchSize int // number of events taken from a spool at once
	Log       *slog.Logger
	Now       func() time.Time
	Aliases   *Aliases
	// Owned reports whether the spools are still this daemon's; nil: always.
	Owned func() bool
	// Clean removes secrets from a text before it is kept; nil: texts stay as they are.
	Clean func(string) string
	// Purged returns what must not be stored again; nil: nothing was purged.
	Purged func() *purged.List

	// OnlyAsked reports whether only explicit requests become memories (capture.keep); nil: all that lasts does.
	OnlyAsked func() bool
	// Receipts takes what the user is to be told.
	Receipts *receipts.Receipts
	// Nearest returns the standing memory of a project that is most like a new one, or the zero memory; nil: none is looked for.
	Nearest func(ctx context.Context, project string, m memory.Memory) (memory.Memory, error)

	// CanWrite returns nil if the store accepts a write now; nil: no event is to blame for a store
	// that is not available.
	CanWrite func(ctx context.Context) error
	// HasSchema returns memory.ErrSchema if the store lacks the schema of this version; a nil function means that it has it.
	HasSchema func(ctx context.Context) error

	talks       talks
	writing     sync.Mutex // held while something is stored
	failures    failures
	busy        busy
	subscribers []func(context.Context, Committed)
}

// Subscribe calls reader after each commit, in the order of the commits and before the
// committing call returns. All readers subscribe before the first commit.
func (in *Intake) Subscribe(reader func(context.Context, Committed)) {
	in.subscribers = append(in.subscribers, reader)
}

func (in *Intake) publish(ctx context.Context, c Committed) {
	for _, notify := range in.subscribers {
		notify(ctx, c)
	}
}

// LearnAliases reads which projects were merged, unless the cached aliases are recent
// enough.
func (in *Intake) LearnAliases(ctx context.Context) error {
	changed, err := in.Aliases.Learn(ctx)
	if changed {
		in.publish(ctx, Committed{All: true})
	}
	return err
}

// Paused runs f while nothing is stored.
func (in *Intake) Paused(f func() error) error {
	in.writing.Lock()
	defer in.writing.Unlock()
	return f()
}

// Rewrite makes a change of whole projects while nothing is stored, and makes all caches be read
// again.
func (in *Intake) Rewrite(ctx context.Context, change func(context.Context) error) error {
	return in.Paused(func() error {
		err := change(ctx)
		in.Aliases.Expire()
		if learnErr := in.LearnAliases(ctx); learnErr != nil && err == nil {
			err = learnErr
		}
		in.publish(ctx, Committed{All: true})
		return err
	})
}
