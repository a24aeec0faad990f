package consolidate

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// dryRunStore is a store as it would be after the steps of a dry run: later steps see the
// rows that earlier ones would have written. It reads from the real store and writes
// nowhere.
type dryRunStore struct {
	Reader

	before, after map[string]memory.State // of the rows that the run would change
	due           map[string]float64      // of the rows that it would reschedule
	noted         map[string][]string     // memories by the keys that it would note
}

func newDryRunStore(store Reader) *dryRunStore {
	return &dryRunStore{store, map[string]memory.State{}, map[string]memory.State{}, map[string]float64{}, map[string][]string{}}
}

// Commit notes the states that the actions would give to the rows, and when rows would be due.
func (s *dryRunStore) Commit(_ context.Context, c memory.Commit) ([]string, error) {
	maps.Copy(s.due, c.Due)
	for _, a := range c.Run.Actions {
		if a.Row != nil { // it would be new
			continue
		}
		if _, changed := s.before[a.Memory]; !changed {
			s.before[a.Memory] = a.Before
		}
		s.after[a.Memory] = a.After
	}
	return nil, nil
}

func (s *dryRunStore) applied(rows []memory.Row) []memory.Row {
	for i, row := range rows {
		if state, changed := s.after[row.Memory.ID]; changed {
			rows[i] = row.With(state)
		}
		if due, moved := s.due[row.Memory.ID]; moved {
			rows[i].DueOn = due
		}
	}
	return rows
}

// Rows answers as the run would leave the rows. Of those that it would have rescheduled, counted or forgotten, which the
// store still finds, others are read in their place.
func (s *dryRunStore) Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error) {
	changed := len(s.due) + len(s.after)
	switch q := q.(type) {
	case memory.Due:
		limit := q.Limit
		q.Limit += changed
		rows, err := s.Reader.Rows(ctx, q)
		rows = slices.DeleteFunc(s.applied(rows), func(r memory.Row) bool {
			return r.DueOn > q.Readings[r.Memory.Project] || r.Memory.Status != memory.StatusActive &&
				r.Memory.Status != memory.StatusArchived
		})
		if len(q.Readings) == 1 {
			rows = rows[:min(limit, len(rows))]
		}
		return rows, err
	case memory.Uncounted:
		limit := q.Limit
		q.Limit += changed
		rows, err := s.Reader.Rows(ctx, q)
		rows = slices.DeleteFunc(s.applied(rows), func(r memory.Row) bool { return r.Memory.TokenEncoding == q.Encoding })
		return rows[:min(limit, len(rows))], err
	case memory.Page:
		rows, err := s.Reader.Rows(ctx, q)
		return slices.DeleteFunc(s.applied(rows), func(r memory.Row) bool { return r.Memory.Status != q.Status }), err
	}
	rows, err := s.Reader.Rows(ctx, q)
	return s.applied(rows), err
}

// Changed answers as the run would leave the rows.
func (s *dryRunStore) Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	page, err := s.Reader.Changed(ctx, q)
	page.Rows = s.applied(page.Rows)
	return page, err
}

// Bands notes the keys in memory and not in the store.
func (s *dryRunStore) Bands(ctx context.Context, keys map[string][]string, _ bool) (map[string][]string, error) {
	there, err := s.Reader.Bands(ctx, keys, false)
	for key, ids := range there {
		all := slices.Concat(s.noted[key], ids)
		slices.Sort(all)
		there[key] = slices.Compact(all)
		s.noted[key] = memory.Noted(s.noted[key], ids)
	}
	return there, err
}

// Budgets sums up the rows that the run would leave.
func (s *dryRunStore) Budgets(ctx context.Context, project string, since time.Time) ([]memory.BudgetTotal, error) {
	sums, err := s.Reader.Budgets(ctx, project, since)
	totals := map[memory.BudgetScope]memory.BudgetTotal{}
	for _, sum := range sums {
		totals[sum.BudgetScope] = sum
	}
	for id, after := range s.after {
		addState(totals, s.before[id], -1, project, since)
		addState(totals, after, 1, project, since)
	}
	return slices.Collect(maps.Values(totals)), err
}

// addState adds a row to the total of its budget scope, or with -1 takes it away.
func addState(totals map[memory.BudgetScope]memory.BudgetTotal, row memory.State, times int, project string, since time.Time) {
	if row.Project != project {
		return
	}
	total := totals[budgetScopeOf(row)]
	total.BudgetScope = budgetScopeOf(row)
	switch {
	case row.Status.InSight():
		total.Rows += times
		total.Tokens += times * row.TokenCount
	case row.Status == memory.StatusArchived:
		total.Rows += times
	}
	if !row.Status.InSight() && row.RetiredAt.After(since) {
		total.Retired += times
	}
	totals[total.BudgetScope] = total
}

func budgetScopeOf(s memory.State) memory.BudgetScope {
	return memory.BudgetScope{Scope: s.Scope, Project: s.Project}
}

// Ingest writes nothing.
func (s *dryRunStore) Ingest(context.Context, memory.Batch) error { return nil }

// Acquire locks nothing: a dry run needs no lease.
func (s *dryRunStore) Acquire(_ context.Context, name, holder string, _ time.Duration) (memory.Lease, error) {
	return memory.Lease{Name: name, Holder: holder}, nil
}

// Renew does nothing.
func (s *dryRunStore) Renew(context.Context, memory.Lease, time.Duration) error { return nil }
