package surreal

import (
	"context"
	"fmt"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
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

func askLease(ctx context.Context, c *wire.Conn, sql, name, holder string, d time.Duration) (wire.Results, error) {
	place, err := c.Place(ctx)
	if err != nil {
		return nil, err
	}
	return c.ExecIdempotent(ctx, sql, map[string]any{
		"lease": models.NewRecordID("lease", place+name), "holder": holder, "time": models.CustomDuration{Duration: d},
	})
}

// acquireLease tries to take a lease once. It is idempotent: the second time it finds its own row and returns that.
func acquireLease(ctx context.Context, c *wire.Conn, name, holder string, d time.Duration) (row leaseRow, err error) {
	rows, err := askLease(ctx, c, acquireSQL, name, holder, d)
	if err != nil {
		return row, fmt.Errorf("acquire the lease %s: %w", name, err)
	}
	return row, rows.Decode(2, &row)
}

// renewLease prolongs a lease and tells whether the holder still has it.
func renewLease(ctx context.Context, c *wire.Conn, name, holder string, d time.Duration) (held bool, err error) {
	rows, err := askLease(ctx, c, renewSQL, name, holder, d)
	if err != nil {
		return false, fmt.Errorf("renew the lease %s: %w", name, err)
	}
	var mine []leaseRow
	err = rows.Decode(0, &mine)
	return len(mine) > 0, err
}

func releaseLease(ctx context.Context, c *wire.Conn, name, holder string) error {
	_, err := askLease(ctx, c, releaseSQL, name, holder, 0)
	return err
}
