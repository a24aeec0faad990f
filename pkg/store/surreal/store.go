// Package surreal stores memories in SurrealDB. It contains all data statements of the product and makes no decisions
// about memories. Package wire has the connection.
package surreal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

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

// CanWrite implements storetest.Store.
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

// value reads the result of a query's last statement.
func value[T any](ctx context.Context, s *Store, purpose, sql string, vars map[string]any) (v T, err error) {
	result, err := s.ask(ctx, purpose, sql, vars)
	if err != nil {
		return v, err
	}
	return last[T](result, purpose)
}

// last decodes the result of the last statement.
func last[T any](result wire.Results, purpose string) (v T, err error) {
	if err := result.Decode(len(result)-1, &v); err != nil {
		return v, fmt.Errorf("%s: %w", purpose, err)
	}
	return v, nil
}
