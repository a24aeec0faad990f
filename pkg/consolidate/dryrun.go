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

// Commit notes the states that the actions would give to the rows.
func (s *dryRunStore) Commit(_ context.Context, c memory.Commit) ([]string, error) {
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

// Reschedule notes when rows would be due.
func (s *dryRunStore) Reschedule(_ context.Context, due map[string]float64) error {
	maps.Copy(s.due, due)
	return nil
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

// Rows answers as the run would leave the rows.
func (s *dryRunStore) Rows(ctx context.Context, ids []string) ([]memory.Row, error) {
	rows, err := s.Reader.Rows(ctx, ids)
	return s.applied(rows), err
}

// Changed answers as the run would leave the rows.
func (s *dryRunStore) Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	page, err := s.Reader.Changed(ctx, q)
	page.Rows = s.applied(page.Rows)
	return page, err
}

// Scan answers as the run would leave the rows.
func (s *dryRunStore) Scan(ctx context.Context, q memory.ScanQuery) (memory.ScanPage, error) {
	page, err := s.Reader.Scan(ctx, q)
	page.Rows = s.applied(page.Rows)
	return page, err
}

// InSight answers as the run would leave the rows.
func (s *dryRunStore) InSight(ctx context.Context, p memory.BudgetScope) ([]memory.Row, error) {
	rows, err := s.Reader.InSight(ctx, p)
	return slices.DeleteFunc(s.applied(rows), func(r memory.Row) bool { return r.Memory.Status != memory.StatusActive }), err
}

// Due leaves out the rows that the run would have rescheduled or forgotten.
func (s *dryRunStore) Due(ctx context.Context, project string, reading float64, limit int) ([]memory.Row, error) {
	rows, err := s.Reader.Due(ctx, project, reading, limit+len(s.due)+len(s.after))
	rows = slices.DeleteFunc(s.applied(rows), func(r memory.Row) bool {
		status := r.Memory.Status
		return r.DueOn > reading || status != memory.StatusActive && status != memory.StatusArchived
	})
	return rows[:min(limit, len(rows))], err
}

// Uncounted leaves out the rows that the run would have counted.
func (s *dryRunStore) Uncounted(ctx context.Context, encoding string, limit int) ([]memory.Memory, error) {
	uncounted, err := s.Reader.Uncounted(ctx, encoding, limit+len(s.after))
	uncounted = slices.DeleteFunc(uncounted, func(m memory.Memory) bool { return s.after[m.ID].TokenEncoding == encoding })
	return uncounted[:min(limit, len(uncounted))], err
}

// Activities answers as the run would leave the projects of the memories.
func (s *dryRunStore) Activities(ctx context.Context, project string, sessions int) ([]memory.Activity, error) {
	activities, err := s.Reader.Activities(ctx, project, sessions)
	for i, activity := range activities {
		if state, changed := s.after[activity.Memory]; changed {
			activities[i].Project = state.Project
		}
	}
	return activities, err
}

// Candidates notes the keys in memory and not in the store.
func (s *dryRunStore) Candidates(ctx context.Context, keys map[string][]string) ([]string, error) {
	asked := map[string]bool{}
	for id, all := range keys {
		for _, key := range all {
			asked[key] = true
			s.noted[key] = append(s.noted[key], id)
		}
	}
	there, err := s.Bands(ctx, slices.Collect(maps.Keys(asked)))
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for key := range asked {
		sharing := slices.Concat(there[key], s.noted[key])
		slices.Sort(sharing)
		if sharing = slices.Compact(sharing); len(sharing) < 2 {
			continue
		}
		for _, id := range sharing {
			found[id] = true
		}
	}
	return slices.Collect(maps.Keys(found)), nil
}

// BudgetTokens counts the tokens that the run would leave active.
func (s *dryRunStore) BudgetTokens(ctx context.Context, project string) (map[memory.BudgetScope]int, error) {
	tokens, err := s.Reader.BudgetTokens(ctx, project)
	for id, after := range s.after {
		before := s.before[id]
		if before.Project == project && before.Status.InSight() {
			tokens[budgetScopeOf(before)] -= before.TokenCount
		}
		if after.Project == project && after.Status.InSight() {
			tokens[budgetScopeOf(after)] += after.TokenCount
		}
	}
	return tokens, err
}

// BudgetTotals sums up the rows that the run would leave.
func (s *dryRunStore) BudgetTotals(ctx context.Context, project string, since time.Time) ([]memory.BudgetTotal, error) {
	sums, err := s.Reader.BudgetTotals(ctx, project, since)
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

// Summarise writes nothing.
func (s *dryRunStore) Summarise(context.Context, string, memory.Summary) error { return nil }

// Ingest writes nothing.
func (s *dryRunStore) Ingest(context.Context, memory.Batch) error { return nil }

// Acquire locks nothing: a dry run needs no lease.
func (s *dryRunStore) Acquire(_ context.Context, name, holder string, _ time.Duration) (memory.Lease, error) {
	return memory.Lease{Name: name, Holder: holder}, nil
}

// Renew does nothing.
func (s *dryRunStore) Renew(context.Context, memory.Lease, time.Duration) error { return nil }

// Release does nothing.
func (s *dryRunStore) Release(context.Context, memory.Lease) error { return nil }
