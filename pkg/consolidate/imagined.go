package consolidate

import (
	"context"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// imagined is a store as it would be after the steps of a dry run: later steps see
// what earlier ones would have made of a row. Nothing is written.
type imagined struct {
	Store
	states map[string]memory.State
}

// Commit notes what the actions would make of the rows.
func (s *imagined) Commit(_ context.Context, c memory.Commit) ([]string, error) {
	for _, a := range c.Run.Actions {
		if a.Row == nil {
			s.states[a.Memory] = a.After
		}
	}
	return nil, nil
}

func (s *imagined) imagine(rows []memory.Row) []memory.Row {
	for i, row := range rows {
		if state, changed := s.states[row.Memory.ID]; changed {
			rows[i] = row.With(state)
		}
	}
	return rows
}

// Rows answers as the dry run would leave the rows.
func (s *imagined) Rows(ctx context.Context, ids []string) ([]memory.Row, error) {
	rows, err := s.Store.Rows(ctx, ids)
	return s.imagine(rows), err
}

// Changed answers as the dry run would leave the rows.
func (s *imagined) Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	page, err := s.Store.Changed(ctx, q)
	page.Rows = s.imagine(page.Rows)
	return page, err
}

// Scan answers as the dry run would leave the rows.
func (s *imagined) Scan(ctx context.Context, q memory.ScanQuery) (memory.ScanPage, error) {
	page, err := s.Store.Scan(ctx, q)
	page.Rows = s.imagine(page.Rows)
	return page, err
}

// InSight answers as the dry run would leave the rows.
func (s *imagined) InSight(ctx context.Context, p memory.Place) ([]memory.Row, error) {
	rows, err := s.Store.InSight(ctx, p)
	return slices.DeleteFunc(s.imagine(rows), func(r memory.Row) bool { return r.Memory.Status != memory.StatusActive }), err
}
