package journal

import (
	"context"
	"fmt"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Store applies writes.
type Store interface {
	Apply(ctx context.Context, w memory.Write) error
}

// Ledger serialises commits and their journal records: one write at a time is committed
// and then journaled. A nil Ledger only commits.
type Ledger struct {
	journal *Journal
	mu      sync.Mutex
}

// NewLedger returns the ledger of a journal; nil for no journal.
func NewLedger(j *Journal) *Ledger {
	if j == nil {
		return nil
	}
	return &Ledger{journal: j}
}

// Write applies a write to a store, and then journals it. If the journal cannot be written, the error is
// memory.ErrUnavailable: the events are ingested again, which leaves the store as it is and journals their rows.
//
// A write that purges has rest: first the journal's records are reduced to its result, and unreadable lines removed. The
// journal comes first: if the daemon is killed in between, the store still has the rows, and deleting them again completes
// the work.
func (l *Ledger) Write(ctx context.Context, store Store, w memory.Write, rest func(Record) (Record, bool)) error {
	if l == nil {
		return store.Apply(ctx, w)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if rest != nil {
		if _, err := l.journal.Remove(rest); err != nil {
			return err
		}
	}
	if err := store.Apply(ctx, w); err != nil {
		return err
	}
	if err := l.journal.Append(Records(w)...); err != nil {
		return fmt.Errorf("%w: it is stored, and a rebuilt store would lack it, because it could not be journaled: %w", memory.ErrUnavailable, err)
	}
	return nil
}

// Snapshot calls copy to copy the store in the state of exactly the records journaled so far. through is the last
// segment with such records, "" if there is none. Writes wait until copy calls release, or returns.
func (l *Ledger) Snapshot(copy func(through string, release func()) error) error {
	if l == nil {
		return copy("", func() {})
	}
	l.mu.Lock()
	release := sync.OnceFunc(l.mu.Unlock)
	defer release()
	if err := l.journal.Close(); err != nil { // the next record begins a segment
		return err
	}
	through, err := End(l.journal.Dir())
	if err != nil {
		return fmt.Errorf("look where the journal ends: %w", err)
	}
	return copy(through, release)
}

// Each passes all records of the journal to use.
func (l *Ledger) Each(use func(Record)) error {
	if l == nil {
		return nil
	}
	_, err := Read(l.journal.Dir(), "", func(r Record) error { use(r); return nil })
	return err
}
