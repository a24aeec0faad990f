package wire

import (
	"context"
	"fmt"
	"time"

	surrealdb "github.com/surrealdb/surrealdb.go"
)

const (
	// PageTime limits the time of one statement.
	PageTime = time.Minute
	// endTime limits the end of a snapshot, independently of its reader's context.
	endTime = 5 * time.Second
)

// Snapshot is a read-only transaction that sees the database as it was when the transaction began.
type Snapshot struct {
	tx *surrealdb.Transaction
}

// IsClosed makes the SDK allow transactions on the socket.
func (s *socket) IsClosed() bool { return !s.alive() }

// Snapshot begins a read-only transaction. The caller calls End.
func (c *Conn) Snapshot(ctx context.Context) (*Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opts.CallTimeout)
	defer cancel()
	current, err := c.link(ctx)
	if err != nil {
		return nil, err
	}
	var s Snapshot
	err = guarded(func() (err error) {
		s.tx, err = current.db.Begin(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("begin a transaction: %w", classify(err))
	}
	return &s, nil
}

// Query runs a query in the snapshot, without retries: a lost connection ends the snapshot.
func (s *Snapshot) Query(ctx context.Context, sql string, vars map[string]any) (found Results, err error) {
	ctx, cancel := context.WithTimeout(ctx, PageTime)
	defer cancel()
	if found, err = query(ctx, s.tx, sql, vars); err != nil {
		return nil, classify(err)
	}
	return found, nil
}

func (s *Snapshot) End(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	_ = guarded(func() error { return s.tx.Cancel(ctx) }) // the snapshot wrote nothing, and ends with its connection anyway
}
