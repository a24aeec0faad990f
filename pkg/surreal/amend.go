package surreal

import (
	"context"
	"errors"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// mostRaces bounds how often a write is made again because its rows changed in between.
const mostRaces = 10

// errRace is of a change that others have overtaken that often; the same may work later.
var errRace = fmt.Errorf("%w: others keep changing the same rows: try again", memory.ErrUnavailable)

// Amend implements storetest.Store.
func (s *Store) Amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error) {
	s.amending.Lock()
	defer s.amending.Unlock()
	for range mostRaces {
		before, after, err = s.amend(ctx, id, c)
		if !errors.Is(err, memory.ErrConflict) {
			return before, after, err
		}
	}
	return before, after, fmt.Errorf("change memory %s: %w", id, errRace)
}

func (s *Store) amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error) {
	rows, err := s.rowsOf(ctx, id)
	if err != nil {
		return before, after, err
	}
	row, isThere := rows[id]
	if !isThere {
		return before, after, fmt.Errorf("change: read memory %s: %w", id, memory.ErrNotFound)
	}
	if after, err = c.Apply(row.Memory); err == nil && after.ID != id {
		if rows, err = s.rowsOf(ctx, after.ID); err != nil {
			return before, after, err
		}
	}
	w, after, err := book.ChangeWrite(row, rows, c)
	if err == nil && len(w.Rows) > 0 {
		err = s.Apply(ctx, w)
	}
	return row.Memory, after, err
}

// rowsOf is the row with an id, without the numbers of its sessions and projects, if it is there.
func (s *Store) rowsOf(ctx context.Context, id string) (map[string]memory.Row, error) {
	found, err := s.batchRows(ctx, book.Keys{Memories: []string{id}})
	return found.Memories, err
}
