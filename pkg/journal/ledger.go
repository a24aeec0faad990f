package journal

import (
	"fmt"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Ledger keeps a journal in the order of the store's commits: one write at a time is
// committed and journaled. A nil Ledger only commits.
type Ledger struct {
	journal *Journal
	mu      sync.Mutex
}

// NewLedger is the ledger of a journal, nil for none.
func NewLedger(j *Journal) *Ledger {
	if j == nil {
		return nil
	}
	return &Ledger{journal: j}
}

// Write calls commit, which stores a write, and journals it. If the journal cannot be written the error is
// memory.ErrUnavailable: events are ingested again, which changes nothing in the store and journals their rows.
func (l *Ledger) Write(w memory.Write, commit func() error) error {
	if l == nil {
		return commit()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.write(w, commit)
}

func (l *Ledger) write(w memory.Write, commit func() error) error {
	if err := commit(); err != nil {
		return err
	}
	if err := l.journal.Append(Records(w)...); err != nil {
		return fmt.Errorf("%w: it is stored, and a rebuilt store would lack it, because it could not be journaled: %w", memory.ErrUnavailable, err)
	}
	return nil
}

// Forget is Write that first leaves of the journal's records only the rest, and removes the lines that cannot be read. The
// journal comes first: if the agent is killed in between, the store still has the rows, and deleting them again
// finishes the work.
func (l *Ledger) Forget(w memory.Write, rest func(Record) (Record, bool), commit func() error) error {
	if l == nil {
		return commit()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.journal.Remove(rest); err != nil {
		return err
	}
	return l.write(w, commit)
}

// Snapshot has copy make a copy of the store that holds exactly the journaled records until then:
// through names the last segment of them, "" if there is none. Nothing is written until copy
// calls taken, or returns.
func (l *Ledger) Snapshot(copy func(through string, taken func()) error) error {
	if l == nil {
		return copy("", func() {})
	}
	l.mu.Lock()
	taken := sync.OnceFunc(l.mu.Unlock)
	defer taken()
	if err := l.journal.Close(); err != nil { // the next record begins a segment
		return err
	}
	through, err := End(l.journal.Dir())
	if err != nil {
		return fmt.Errorf("look where the journal ends: %w", err)
	}
	return copy(through, taken)
}

// Each hands over all records of the journal.
func (l *Ledger) Each(use func(Record)) error {
	if l == nil {
		return nil
	}
	_, err := Read(l.journal.Dir(), "", func(r Record) error { use(r); return nil })
	return err
}
