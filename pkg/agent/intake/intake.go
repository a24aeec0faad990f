// Package intake is the one way into the store: spooled, imported and replayed events,
// and changes by hand, become a batch, are committed and journaled, and are then
// published to the subscribers. It does not know who they are.
package intake

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/projects"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// Store is the store that this package reads and writes. Package storetest describes each
// method.
type Store interface {
	memory.Reader
	Ingest(ctx context.Context, b memory.Batch) error
	Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error)
	memory.SessionLister
	memory.RecordReader
}

// Files takes fingerprints of files that were not modified after a time.
type Files interface {
	Fingerprints(root string, paths []string, at time.Time) map[string]string
}

// Committed holds the rows that one commit brought into the store.
type Committed struct {
	// Events are those that were captured; an import and a change by hand have none.
	Events []memory.Event
	// Memories were written or changed.
	Memories []memory.Memory
	// Sessions have ended, or go on again.
	Sessions []memory.Session
	// More says that another commit follows at once: a subscriber may wait for that one
	// before it reads anew.
	More bool
	// All says that anything may have changed: caches are to be read again.
	All bool
}

// Changes are the changes by hand. Package storetest describes each method.
type Changes interface {
	Amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error)
	RenameProject(ctx context.Context, key, name string) error
	MergeProjects(ctx context.Context, from, into string) (memory.Holding, error)
	Purge(ctx context.Context, key string) (memory.Holding, error)
	Commit(ctx context.Context, c memory.Commit) (missed []string, err error)
}

// ErrNotOurs says that the spool belongs to another agent now, because the home
// was deleted or replaced while this one ran.
var ErrNotOurs = errors.New("the agent's home was deleted or replaced")

// NotOurs is ErrNotOurs when the spool belongs to another agent now.
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
	Counter   tokens.Counter
	BatchSize int // events that are taken from a spool at once
	Log       *slog.Logger
	Now       func() time.Time
	Aliases   *projects.Aliases
	// CloseAfter is the silence after which maintenance closes a session.
	CloseAfter time.Duration
	// Owned says that the spools are still this agent's; nil: always.
	Owned func() bool
	// Changes are journaled by themselves.
	Changes Changes
	// Ledger journals ingested events and changes; nil: no journal is kept.
	Ledger *Ledger
	// Files takes the fingerprints of the files that events name; nil: there are none.
	Files Files
	// Clean takes secrets out of a text before it is kept; nil: texts stay as they are.
	Clean func(string) string
	// Weigh changes the importance of new memories by people's verdicts on the rules that
	// made them; asked are the ids of those that a person asked for. nil: it stays.
	Weigh func(ctx context.Context, memories []memory.Memory, asked []string)

	// CanWrite is nil if the store takes a write now; nil: no event is to blame for a store
	// that is not available.
	CanWrite func(ctx context.Context) error
	// HasSchema is memory.ErrSchema if the store has not the schema of this version; nil: it has.
	HasSchema func(ctx context.Context) error

	talks       talks
	writing     sync.Mutex // held while something is stored
	open        map[string]followed
	busy        busy
	burst       burst
	outcomes    outcomes
	subscribers []func(context.Context, Committed)
}

// Subscribe calls reader after each commit, in the order of the commits and before the
// committing call returns. All readers subscribe before the first commit.
func (in *Intake) Subscribe(reader func(context.Context, Committed)) {
	in.subscribers = append(in.subscribers, reader)
}

func (in *Intake) publish(ctx context.Context, c Committed) {
	if len(c.Events) == 0 { // changed by hand, imported or distilled: it may have been told of
		in.outcomes.forget()
	}
	for _, tell := range in.subscribers {
		tell(ctx, c)
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

// Rewrite makes a change of whole projects while nothing is stored, and has all caches
// read again.
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

// Ledger keeps the journal in the order of the store's commits: one write at a time is
// committed and journaled. A nil Ledger only writes.
type Ledger struct {
	journal *journal.Journal
	mu      sync.Mutex
}

// NewLedger is the ledger of a journal, nil for none.
func NewLedger(j *journal.Journal) *Ledger {
	if j == nil {
		return nil
	}
	return &Ledger{journal: j}
}

// Write has write commit something, and then journals the records that it returns. If the
// journal cannot be written the error is memory.ErrUnavailable: events are ingested again,
// which changes nothing in the store, and who asked for a change is told.
func (l *Ledger) Write(write func() ([]journal.Record, error)) error {
	if l == nil {
		_, err := write()
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	records, err := write()
	if err != nil {
		return err
	}
	if err := l.journal.Append(records...); err != nil {
		return fmt.Errorf("%w: it is stored, and a rebuilt store would lack it, because it could not be journaled: %w", memory.ErrUnavailable, err)
	}
	return nil
}

// Forget removes from the journal the records of which rest leaves nothing, has forget
// delete the same from the store, and then journals its records. The journal comes first:
// if the agent is killed in between, the store still has it, and deleting it again
// finishes the work.
func (l *Ledger) Forget(rest func(journal.Record) (journal.Record, bool), forget func() ([]journal.Record, error)) error {
	return l.Write(func() ([]journal.Record, error) {
		if l != nil {
			if _, err := l.journal.Remove(rest); err != nil {
				return nil, err
			}
		}
		return forget()
	})
}

// Cut has copy take a copy of the store that holds exactly the journaled records until then:
// through names the last segment of them, "" if there is none. Nothing is written until copy
// calls taken, or returns.
func (l *Ledger) Cut(copy func(through string, taken func()) error) error {
	if l == nil {
		return copy("", func() {})
	}
	l.mu.Lock()
	taken := sync.OnceFunc(l.mu.Unlock)
	defer taken()
	if err := l.journal.Close(); err != nil { // the next record begins a segment
		return err
	}
	through, err := journal.End(l.journal.Dir())
	if err != nil {
		return fmt.Errorf("look where the journal ends: %w", err)
	}
	return copy(through, taken)
}

// Each hands over all records of the journal.
func (l *Ledger) Each(use func(journal.Record)) error {
	_, err := journal.Read(l.journal.Dir(), "", func(r journal.Record) error { use(r); return nil })
	return err
}

// recordsOf are events as records, after the importance that verdicts gave to their
// memories.
func recordsOf(events []memory.Event, weighed map[string]float64) []journal.Record {
	records := make([]journal.Record, 0, len(events)+1)
	if len(weighed) > 0 {
		records = append(records, journal.Record{Weighed: &journal.Weighed{Importance: weighed}})
	}
	for i := range events {
		records = append(records, journal.Record{Event: &events[i]})
	}
	return records
}
