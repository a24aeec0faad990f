package intake

import (
	"fmt"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

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
	_, err := journal.Read(l.journal.Dir(), time.Time{}, func(r journal.Record) error { use(r); return nil })
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
