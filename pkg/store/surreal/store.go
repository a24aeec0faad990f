// Package surreal stores memories in SurrealDB. It contains all data statements of the product and makes no decisions
// about memories. Package wire has the connection.
package surreal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// Store implements the interfaces of package storetest with SurrealDB. All changes go through the embedded Book.
type Store struct {
	*book.Book
	conn *wire.Conn
	// applying serialises writes: if two commits conflict, mem:// and surrealkv:// (3.0.2) acknowledge both in 1 to 3 %
	// of cases, and one write is lost (ADR 0018).
	applying sync.Mutex
}

// NewStore returns the Store of a database that has the current schema. The caller closes conn.
func NewStore(conn *wire.Conn) *Store {
	s := &Store{conn: conn}
	s.Book = book.New(s)
	return s
}

func (s *Store) CanWrite(ctx context.Context) error {
	if err := s.conn.CanWrite(ctx); err != nil {
		return fmt.Errorf("write to the store: %w", err)
	}
	return nil
}

// briefFields lists the columns of a session without its digest.
var briefFields = sessionCodec.fields("digest")

// ask runs a query that may be executed twice without harm. Its error begins with the purpose.
func (s *Store) ask(ctx context.Context, purpose, sql string, vars map[string]any) (wire.Results, error) {
	return s.askFor(ctx, 0, purpose, sql, vars)
}

// askFor does what ask does, with a time limit for the query; 0 means the connection's limit. If SurrealDB is not available, the
// error leaves out the purpose, because no reader of the message knows it.
func (s *Store) askFor(ctx context.Context, d time.Duration, purpose, sql string, vars map[string]any) (wire.Results, error) {
	result, err := s.conn.Run(ctx, wire.Request{SQL: sql, Vars: vars, Idempotent: true, Timeout: d})
	if err != nil && !errors.Is(err, wire.ErrUnavailable) {
		err = fmt.Errorf("%s: %w", purpose, err)
	}
	return result, err
}

// list reads the rows of all statements of a query, in their order.
func list[T any](ctx context.Context, s *Store, c codec[T], purpose, sql string, vars map[string]any) ([]T, error) {
	result, err := s.ask(ctx, purpose, sql, vars)
	var all []T
	for i := range result {
		some, err := c.decode(result, i)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", purpose, err)
		}
		all = append(all, some...)
	}
	return all, err
}

// value reads the result of a query's last statement. d limits the time of the query; 0 means the connection's limit.
func value[T any](ctx context.Context, s *Store, d time.Duration, purpose, sql string, vars map[string]any) (v T, err error) {
	result, err := s.askFor(ctx, d, purpose, sql, vars)
	if err != nil {
		return v, err
	}
	if err := result.Decode(len(result)-1, &v); err != nil {
		return v, fmt.Errorf("%s: %w", purpose, err)
	}
	return v, nil
}

// settleTime is the wait before an acquired lease is checked again. Of two conflicting commits mem:// and surrealkv://
// (3.0.2) acknowledge both in 1 to 3 % of cases; only the row then shows who holds the lease.
const settleTime = 50 * time.Millisecond

// acquireSQL returns in statement 2 the current lease: ours, or another holder's with time left. Two concurrent
// requests write the same row, so the engine refuses the second.
const acquireSQL = `BEGIN;
LET $row = (SELECT * FROM ONLY $lease);
IF $row = NONE OR $row.expires_at <= time::now() {
	UPSERT ONLY $lease SET holder = $holder, token = ($row.token ?? 0) + 1,
		acquired_at = time::now(), expires_at = time::now() + $time
} ELSE { $row };
COMMIT;`

// renewSQL returns the lease if the holder still has it.
const renewSQL = `RETURN (UPDATE $lease SET expires_at = time::now() + $time WHERE holder = $holder AND expires_at > time::now()
	RETURN holder, token)[0]`

// leaseRow is the part of a row of the table lease that is read: an exclusive right that one process holds at a time.
type leaseRow struct {
	Holder string `json:"holder"`
	Token  int    `json:"token"`
}

// Lease implements storetest.Store.
func (s *Store) Lease(ctx context.Context, l memory.Lease, d time.Duration) (_ memory.Lease, err error) {
	if l.Token == 0 {
		if l.Token, err = s.token(ctx, l, d); err != nil {
			return memory.Lease{}, err
		}
	}
	// Sets the full time, because a lease that was just taken may have less left.
	held, err := s.askLease(ctx, "renew", renewSQL, 0, l, d)
	switch {
	case err != nil:
		return memory.Lease{}, err
	case held.Holder == "" && d > 0:
		return memory.Lease{}, fmt.Errorf("renew the lease %s: %w", l.Name, memory.ErrLeaseLost)
	}
	return l, nil
}

// token takes a lease and returns its token.
func (s *Store) token(ctx context.Context, l memory.Lease, d time.Duration) (int, error) {
	for before := (leaseRow{}); ; {
		row, err := s.askLease(ctx, "acquire", acquireSQL, 2, l, d) // a repeated request finds its own row
		switch {
		case err != nil:
			return 0, err
		case row.Holder != l.Holder:
			return 0, fmt.Errorf("lease %s: %w", l.Name, memory.ErrHeld)
		case row == before:
			return row.Token, nil
		}
		if before = row; !memory.Sleep(ctx, settleTime) {
			return 0, fmt.Errorf("acquire the lease %s: %w", l.Name, ctx.Err())
		}
	}
}

// askLease runs a query about a lease, and returns the row in the result of statement i.
func (s *Store) askLease(ctx context.Context, doing, sql string, i int, l memory.Lease, d time.Duration) (row leaseRow, err error) {
	result, err := s.ask(ctx, doing+" the lease "+l.Name, sql, map[string]any{
		"lease": recordID("lease", l.Name), "holder": l.Holder, "time": models.CustomDuration{Duration: d},
	})
	if err == nil {
		err = result.Decode(i, &row)
	}
	return row, err
}
