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

// Ledger commits and journals one write at a time. A nil Ledger only commits.
type Ledger struct {
	journal *Journal
	mu      sync.Mutex
}

// NewLedger returns the ledger of a journal, or nil without a journal.
func NewLedger(j *Journal) *Ledger {
	if j == nil {
		return nil
	}
	return &Ledger{journal: j}
}

// Write applies a write to a store and then journals it. If the journal cannot be written, it fails with
// memory.ErrUnavailable: the events will be ingested again, which leaves the store as it is and journals their rows.
//
// If the write purges, rest is not nil: it returns what is left of a record. The journal is then purged before the store,
// also of unreadable lines. If the daemon is killed in between, the store still has the rows, and repeating the purge
// deletes them.
func (l *Ledger) Write(ctx context.Context, store Store, w memory.Write, rest func(Record) (Record, bool)) error {
	if l == nil {
		return store.Apply(ctx, w)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if rest != nil {
		if _, err := l.journal.Rewrite(true, true, rest); err != nil {
			return err
		}
	}
	if err := store.Apply(ctx, w); err != nil {
		return err
	}
	if err := l.journal.Append(Records(w)...); err != nil {
		return memory.Mark(fmt.Errorf("the write is stored but not journaled, so a rebuilt store would lack it: %w", err), memory.ErrUnavailable)
	}
	return nil
}

// Snapshot calls copy to copy the store in exactly the state of the records journaled so far. through is the last
// segment with such records, or "". Writes wait until copy calls release or returns.
func (l *Ledger) Snapshot(copy func(through string, release func()) error) error {
	if l == nil {
		return copy("", func() {})
	}
	l.mu.Lock()
	release := sync.OnceFunc(l.mu.Unlock)
	defer release()
	if err := l.journal.Close(); err != nil { // the next record begins a new segment
		return err
	}
	through, err := NewestSegment(l.journal.Dir())
	if err != nil {
		return fmt.Errorf("the end of the journal cannot be found: %w", err)
	}
	return copy(through, release)
}

func (l *Ledger) Each(use func(Record)) error {
	if l == nil {
		return nil
	}
	_, err := Read(l.journal.Dir(), "", func(r Record) error { use(r); return nil })
	return err
}
