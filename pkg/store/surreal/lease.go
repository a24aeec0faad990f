package surreal

import (
	"context"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// Acquire implements storetest.Store.
func (s *Store) Acquire(ctx context.Context, name, holder string, d time.Duration) (memory.Lease, error) {
	lease := memory.Lease{Name: name, Holder: holder}
	for lease.Token == 0 {
		row, err := wire.AcquireLease(ctx, s.conn, name, holder, d)
		if err != nil {
			return memory.Lease{}, domain(err)
		}
		if row.Holder != holder {
			return memory.Lease{}, fmt.Errorf("lease %s: %w", name, memory.ErrHeld)
		}
		if !wire.Pause(ctx, wire.SettleTime) {
			return memory.Lease{}, fmt.Errorf("acquire the lease %s: %w", name, ctx.Err())
		}
		again, err := wire.AcquireLease(ctx, s.conn, name, holder, d)
		if err != nil {
			return memory.Lease{}, domain(err)
		}
		if again == row {
			lease.Token = row.Token
		}
	}
	return lease, s.Renew(ctx, lease, d) // an earlier acquisition may have left less time
}

// Renew implements storetest.Store.
func (s *Store) Renew(ctx context.Context, l memory.Lease, d time.Duration) error {
	held, err := wire.RenewLease(ctx, s.conn, l.Name, l.Holder, d)
	switch {
	case err != nil:
		return domain(err)
	case !held && d > 0:
		return fmt.Errorf("renew the lease %s: %w", l.Name, memory.ErrLeaseLost)
	}
	return nil
}
