package wire

import (
	"context"
	"fmt"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"
)

// LeaseRow is a row of the table lease: an exclusive right that one process holds at a time.
type LeaseRow struct {
	Holder string `json:"holder"`
	Token  int    `json:"token"`
}

// SettleTime is the wait before an acquired lease is checked again. Of two conflicting commits mem:// and surrealkv://
// (3.0.2) acknowledge both in 1 to 3 % of cases; only the row then shows who holds the lease.
const SettleTime = 50 * time.Millisecond

// acquireSQL returns in statement 2 the current lease: ours, or another holder's with time left. Two concurrent
// requests write the same row, so the engine refuses the second.
const acquireSQL = `BEGIN;
LET $row = (SELECT * FROM ONLY $lease);
IF $row = NONE OR $row.expires_at <= time::now() {
	UPSERT ONLY $lease SET holder = $holder, token = ($row.token ?? 0) + 1,
		acquired_at = time::now(), expires_at = time::now() + $time
} ELSE { $row };
COMMIT;`

const renewSQL = `UPDATE $lease SET expires_at = time::now() + $time WHERE holder = $holder AND expires_at > time::now() RETURN holder, token`

func askLease(ctx context.Context, c *Conn, sql, name, holder string, d time.Duration) (Results, error) {
	return c.ExecIdempotent(ctx, sql, map[string]any{
		"lease": models.NewRecordID("lease", name), "holder": holder, "time": models.CustomDuration{Duration: d},
	})
}

// AcquireLease tries once to acquire a lease and returns its current row. It may be repeated: a second call finds its own row.
func AcquireLease(ctx context.Context, c *Conn, name, holder string, d time.Duration) (row LeaseRow, err error) {
	rows, err := askLease(ctx, c, acquireSQL, name, holder, d)
	if err != nil {
		return row, fmt.Errorf("acquire the lease %s: %w", name, err)
	}
	return row, rows.Decode(2, &row)
}

// RenewLease sets the remaining time of a lease, which may be 0, and reports whether the holder still had it.
func RenewLease(ctx context.Context, c *Conn, name, holder string, d time.Duration) (held bool, err error) {
	rows, err := askLease(ctx, c, renewSQL, name, holder, d)
	if err != nil {
		return false, fmt.Errorf("renew the lease %s: %w", name, err)
	}
	var mine []LeaseRow
	err = rows.Decode(0, &mine)
	return len(mine) > 0, err
}
