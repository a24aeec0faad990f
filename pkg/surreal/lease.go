package surreal

import (
	"context"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// Acquire implements storetest.Store.
func (s *Store) Acquire(ctx context.Context, name, holder string, d time.Duration) (memory.Lease, error) {
	lease := memory.Lease{Name: name, Holder: holder}
	for lease.Token == 0 {
		row, err := acquireLease(ctx, s.conn, name, holder, d)
		if err != nil {
			return memory.Lease{}, domain(err)
		}
		if row.Holder != holder {
			return memory.Lease{}, fmt.Errorf("lease %s: %w", name, memory.ErrHeld)
		}
		if !wire.Pause(ctx, settleTime) {
			return memory.Lease{}, fmt.Errorf("acquire the lease %s: %w", name, ctx.Err())
		}
		again, err := acquireLease(ctx, s.conn, name, holder, d)
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
	held, err := renewLease(ctx, s.conn, l.Name, l.Holder, d)
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
	if err := releaseLease(ctx, s.conn, l.Name, l.Holder); err != nil {
		return fmt.Errorf("release the lease %s, it ends by itself: %w", l.Name, domain(err))
	}
	return nil
}
