package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

type Replayed struct {
	Writes int // number of applied writes, including those with rows that the store refused
	Rows   int // number of rows in the applied writes
	// Refused lists the rows that the store refused, with reasons; Problems the unreadable parts of the journal.
	Refused  []string
	Problems []string
}

// Replayer applies writes from another store's journal.
type Replayer interface {
	Replay(ctx context.Context, w memory.Write) error
}

// Replay applies the writes that a journal has after a segment ("" for all). It cleans texts again: newer rules may find more secrets.
func Replay(ctx context.Context, store Replayer, clean func(string) string, dir, after string) (done Replayed, err error) {
	var at time.Time // time of the write that is being read, which all its records have
	var waiting []memory.RowChange
	flush := func() error { // applies the write, and records the rows that the store refuses
		rows := waiting
		if waiting = nil; len(rows) == 0 {
			return nil
		}
		done.Writes++
		return inHalves(ctx, 0, len(rows), func(from, to int) error {
			err := store.Replay(ctx, memory.Write{Rows: rows[from:to]})
			if err == nil {
				done.Rows += to - from
			}
			return err
		}, func(_ int, reason error) error {
			if !errors.Is(reason, memory.ErrNotFound) {
				done.Refused = append(done.Refused, fmt.Sprintf("a row of %s: %v", at.Format(time.RFC3339), reason))
			}
			return nil
		})
	}
	report, err := journal.Read(dir, after, func(record journal.Record) error {
		if !record.At.Equal(at) {
			if err := flush(); err != nil {
				return err
			}
			at = record.At
		}
		waiting = append(waiting, memory.Cleaned(record, clean).RowChange)
		return nil
	})
	done.Problems = report.Problems
	if err == nil {
		err = flush()
	}
	if err != nil {
		return done, fmt.Errorf("replay the journal: %w", err)
	}
	return done, nil
}
