package surreal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// The columns that are read.
var (
	memoryFields = memoryCodec.fields()
	rowFields    = rowCodec.fields()
	// bareFields are the columns of a row without its texts.
	bareFields = rowCodec.fields("content", "detail", "title", "area", "tags", "cues", "files", "command", "signature", "session", "derived_from", "fingerprints")
	// briefFields are the columns of a session without the parts of its summary.
	briefFields     = sessionCodec.fields("digest")
	sessionFields   = sessionCodec.fields()
	promptFields    = promptCodec.fields()
	sightingFields  = sightingCodec.fields()
	injectionFields = injectionCodec.fields()
	runFields       = runCodec.fields()
)

// ask sends a query that may take effect twice without harm. Its error begins with the purpose.
func (s *Store) ask(ctx context.Context, purpose, sql string, vars map[string]any) (wire.Results, error) {
	return s.askFor(ctx, 0, purpose, sql, vars)
}

// askFor is ask with the longest time that the query may take; 0 is the connection's.
func (s *Store) askFor(ctx context.Context, d time.Duration, purpose, sql string, vars map[string]any) (wire.Results, error) {
	result, err := s.conn.Run(ctx, wire.Request{SQL: sql, Vars: vars, Idempotent: true, Timeout: d})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", purpose, domain(err))
	}
	return result, nil
}

// list reads the rows of all statements of a query, one statement after the other.
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

// value reads the result of the last statement of a query.
func value[T any](ctx context.Context, s *Store, purpose, sql string, vars map[string]any) (v T, err error) {
	result, err := s.ask(ctx, purpose, sql, vars)
	if err != nil {
		return v, err
	}
	return last[T](result, purpose)
}

// last reads the result of the last statement.
func last[T any](result wire.Results, purpose string) (v T, err error) {
	if err := result.Decode(len(result)-1, &v); err != nil {
		return v, fmt.Errorf("%s: %w", purpose, err)
	}
	return v, nil
}

// domain maps an error of the connection to the domain's.
func domain(err error) error {
	switch {
	case errors.Is(err, wire.ErrDamaged):
		return fmt.Errorf("%w: %w", memory.ErrDamaged, err)
	case errors.Is(err, wire.ErrStorage):
		return fmt.Errorf("%w: %w", memory.ErrStorage, err)
	case errors.Is(err, wire.ErrUnavailable) || errors.Is(err, wire.ErrAuth) || errors.Is(err, wire.ErrClosed):
		return fmt.Errorf("%w: %w", memory.ErrUnavailable, err)
	}
	return err
}
