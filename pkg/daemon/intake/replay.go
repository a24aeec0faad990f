package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

// Replayed has the counts of a Replay.
type Replayed struct {
	Writes int // number of applied writes, including writes of which the store refused rows
	Rows   int // number of rows in the applied writes
	// Refused lists the rows that the store refused, with reasons; Problems the unreadable parts of the journal.
	Refused  []string
	Problems []string
}

// Replayer applies writes from another store's journal.
type Replayer interface {
	Replay(ctx context.Context, w memory.Write) error
}

// Replay applies the writes of a journal after a segment ("" for all), in their order. It cleans all texts again,
// because newer rules may find more secrets.
func Replay(ctx context.Context, store Replayer, clean func(string) string, dir, after string) (Replayed, error) {
	r := replay{store: store}
	report, err := journal.Read(dir, after, func(record journal.Record) error {
		if !record.At.Equal(r.at) {
			if err := r.flush(ctx); err != nil {
				return err
			}
			r.at = record.At
		}
		r.waiting = append(r.waiting, memory.Cleaned(record, clean).RowChange)
		return nil
	})
	r.done.Problems = report.Problems
	if err == nil {
		err = r.flush(ctx)
	}
	if err != nil {
		return r.done, fmt.Errorf("replay the journal: %w", err)
	}
	return r.done, nil
}

// replay is the state of a Replay.
type replay struct {
	store Replayer

	// The write that is being read: the records with the same time.
	at      time.Time
	waiting []memory.RowChange

	done Replayed
}

// flush applies the write, and records the rows that the store refuses.
func (r *replay) flush(ctx context.Context) error {
	rows := r.waiting
	if r.waiting = nil; len(rows) == 0 {
		return nil
	}
	r.done.Writes++
	return inHalves(ctx, 0, len(rows), func(from, to int) error {
		err := r.store.Replay(ctx, memory.Write{Rows: rows[from:to]})
		if err == nil {
			r.done.Rows += to - from
		}
		return err
	}, func(at int, reason error) error {
		if !errors.Is(reason, memory.ErrNotFound) {
			r.done.Refused = append(r.done.Refused, fmt.Sprintf("a row of %s: %v", r.at.Format(time.RFC3339), reason))
		}
		return nil
	})
}
