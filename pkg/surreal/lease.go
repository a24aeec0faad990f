package surreal

import (
	"context"
	"fmt"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// leaseRow is a row of the table lease.
type leaseRow struct {
	Holder string `json:"holder"`
	Token  int    `json:"token"`
}

// acquireSQL returns, as its statement 2, the lease as it stands afterwards: ours, or that of a holder who still has
// time. Two at once write the same row, which the engine refuses one of them.
const acquireSQL = `BEGIN;
LET $row = (SELECT * FROM ONLY $lease);
IF $row = NONE OR $row.expires_at <= time::now() {
	UPSERT ONLY $lease SET holder = $holder, token = ($row.token ?? 0) + 1,
		acquired_at = time::now(), expires_at = time::now() + $time
} ELSE { $row };
COMMIT;`

const (
	renewSQL   = `UPDATE $lease SET expires_at = time::now() + $time WHERE holder = $holder AND expires_at > time::now() RETURN holder, token`
	releaseSQL = `UPDATE $lease SET expires_at = time::now() WHERE holder = $holder AND expires_at > time::now() RETURN NONE`
)

func (c *Conn) askLease(ctx context.Context, sql, name, holder string, d time.Duration) (results, error) {
	place, err := c.place(ctx)
	if err != nil {
		return nil, err
	}
	return c.execIdempotent(ctx, sql, map[string]any{
		"lease": recordID("lease", place+name), "holder": holder, "time": models.CustomDuration{Duration: d},
	})
}

// acquireLease tries to take a lease once. It is idempotent: the second time it finds its own row and returns that.
func (c *Conn) acquireLease(ctx context.Context, name, holder string, d time.Duration) (row leaseRow, err error) {
	rows, err := c.askLease(ctx, acquireSQL, name, holder, d)
	if err != nil {
		return row, fmt.Errorf("acquire the lease %s: %w", name, err)
	}
	return row, rows.decode(2, &row)
}

// renewLease prolongs a lease and tells whether the holder still has it.
func (c *Conn) renewLease(ctx context.Context, name, holder string, d time.Duration) (held bool, err error) {
	rows, err := c.askLease(ctx, renewSQL, name, holder, d)
	if err != nil {
		return false, fmt.Errorf("renew the lease %s: %w", name, err)
	}
	var mine []leaseRow
	err = rows.decode(0, &mine)
	return len(mine) > 0, err
}

func (c *Conn) releaseLease(ctx context.Context, name, holder string) error {
	_, err := c.askLease(ctx, releaseSQL, name, holder, 0)
	return err
}

// Acquire implements storetest.Store.
func (s *Store) Acquire(ctx context.Context, name, holder string, d time.Duration) (memory.Lease, error) {
	lease := memory.Lease{Name: name, Holder: holder}
	for lease.Token == 0 {
		row, err := s.conn.acquireLease(ctx, name, holder, d)
		if err != nil {
			return memory.Lease{}, domain(err)
		}
		if row.Holder != holder {
			return memory.Lease{}, fmt.Errorf("lease %s: %w", name, memory.ErrHeld)
		}
		if !sleep(ctx, settleTime) {
			return memory.Lease{}, fmt.Errorf("acquire the lease %s: %w", name, ctx.Err())
		}
		again, err := s.conn.acquireLease(ctx, name, holder, d)
		if err != nil {
			return memory.Lease{}, domain(err)
		}
		if again == row {
			lease.Token = row.Token
		}
	}
	return lease, s.Renew(ctx, lease, d) // it may have been held before, with less time left
}

// Renew implements storetest.Store.
func (s *Store) Renew(ctx context.Context, l memory.Lease, d time.Duration) error {
	held, err := s.conn.renewLease(ctx, l.Name, l.Holder, d)
	if err != nil {
		return domain(err)
	}
	if !held {
		return fmt.Errorf("renew the lease %s: %w", l.Name, memory.ErrLeaseLost)
	}
	return nil
}

// Release implements storetest.Store.
func (s *Store) Release(ctx context.Context, l memory.Lease) error {
	if err := s.conn.releaseLease(ctx, l.Name, l.Holder); err != nil {
		return fmt.Errorf("release the lease %s, it ends by itself: %w", l.Name, domain(err))
	}
	return nil
}
