package surreal

import (
	"context"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// Lease implements storetest.Store.
func (s *Store) Lease(ctx context.Context, l memory.Lease, d time.Duration) (_ memory.Lease, err error) {
	if l.Token == 0 {
		if l.Token, err = s.token(ctx, l, d); err != nil {
			return memory.Lease{}, err
		}
	}
	held, err := wire.RenewLease(ctx, s.conn, l.Name, l.Holder, d) // sets the full time, because a lease that was just taken may have less left
	switch {
	case err != nil:
		return memory.Lease{}, domain(err)
	case !held && d > 0:
		return memory.Lease{}, fmt.Errorf("renew the lease %s: %w", l.Name, memory.ErrLeaseLost)
	}
	return l, nil
}

// token takes a lease and returns its token.
func (s *Store) token(ctx context.Context, l memory.Lease, d time.Duration) (int, error) {
	for {
		row, err := wire.AcquireLease(ctx, s.conn, l.Name, l.Holder, d)
		if err != nil {
			return 0, domain(err)
		}
		if row.Holder != l.Holder {
			return 0, fmt.Errorf("lease %s: %w", l.Name, memory.ErrHeld)
		}
		if !wire.Sleep(ctx, wire.SettleTime) {
			return 0, fmt.Errorf("acquire the lease %s: %w", l.Name, ctx.Err())
		}
		again, err := wire.AcquireLease(ctx, s.conn, l.Name, l.Holder, d)
		if err != nil {
			return 0, domain(err)
		}
		if again == row {
			return row.Token, nil
		}
	}
}
