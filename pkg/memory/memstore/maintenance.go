package memstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// lease is a lease with its end; it may have expired.
type lease struct {
	holder string
	token  int
	until  time.Time
}

// ActiveDays implements storetest.Store.
func (s *Store) ActiveDays(context.Context) (map[string][]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index.days == nil {
		s.index.days = map[string][]string{}
		for d := range all[memory.ActiveDay](s.tables, "active_day") {
			s.index.days[d.Project] = append(s.index.days[d.Project], d.Day)
		}
	}
	days := map[string][]string{}
	for project, active := range s.index.days {
		slices.Sort(active)
		days[project] = slices.Clone(active)
	}
	return days, nil
}

// Changed implements storetest.Store.
func (s *Store) Changed(_ context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	page, seen := memory.ChangePage{Cursor: q.After, Last: true}, 0
	s.changed(q.After, func(row *memory.Row) bool {
		if seen == q.Limit {
			page.Last = false
			return false
		}
		if row.Memory.Kind.Searchable() {
			page.Rows = append(page.Rows, *row)
		}
		page.Cursor = row.Cursor
		seen++
		return true
	})
	return page, nil
}

// Bands implements storetest.Store.
func (s *Store) Bands(_ context.Context, keys map[string][]string, note bool) (map[string][]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	members := map[string][]string{}
	for id, bands := range keys {
		for _, key := range bands {
			members[key] = append(members[key], id)
		}
	}
	there := map[string][]string{}
	for key, ids := range members {
		noted, _ := get[[]string](s.tables, bandTable, key)
		there[key] = slices.Compact(slices.Sorted(slices.Values(slices.Concat(ids, noted))))
		if note {
			s.tables[bandTable][key] = memory.Noted(noted, ids)
		}
	}
	return there, nil
}

// Budgets implements storetest.Store.
func (s *Store) Budgets(_ context.Context, project string, since time.Time) ([]memory.BudgetTotal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	totals := map[memory.BudgetScope]memory.BudgetTotal{}
	for row := range all[*memory.Row](s.tables, "memory") {
		m := row.Memory
		if m.Project != project || since.IsZero() && !m.Status.InSight() {
			continue
		}
		scope := memory.BudgetScope{Scope: m.Scope, Project: m.Project}
		t := totals[scope]
		t.BudgetScope = scope
		switch {
		case m.Status.InSight():
			t.Rows++
			t.Tokens += m.TokenCount
		case m.Status == memory.StatusArchived:
			t.Rows++
		}
		if !m.Status.InSight() && row.RetiredAt.After(since) {
			t.Retired++
		}
		totals[scope] = t
	}
	return slices.Collect(maps.Values(totals)), nil
}

// Runs implements storetest.Store.
func (s *Store) Runs(_ context.Context, q memory.RunQuery) ([]memory.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if run, isThere := get[memory.Run](s.tables, "maintenance_run", q.ID); isThere {
		return []memory.Run{run}, nil
	}
	begun := func(r memory.Run) (time.Time, string) { return r.StartedAt, r.ID }
	if q.Open {
		open := []memory.Run{}
		for id := range s.index.open {
			run, _ := get[memory.Run](s.tables, "maintenance_run", id)
			open = append(open, run)
		}
		return withoutActions(oldestFirst(open, begun)), nil
	}
	runs := having(s.tables, "maintenance_run", func(r memory.Run) bool { return strings.HasPrefix(r.ID, q.ID) }, begun)
	if q.ID != "" && len(runs) == 1 {
		return runs, nil
	}
	slices.Reverse(runs)
	return withoutActions(runs[:min(most(q.Limit), len(runs))]), nil
}

// Job implements storetest.Store.
func (s *Store) Job(_ context.Context, job string) (memory.JobState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state, _ := get[memory.JobState](s.tables, jobTable, job)
	state.Job, state.Now = job, s.cursor
	return state, nil
}

func withoutActions(runs []memory.Run) []memory.Run {
	for i := range runs {
		runs[i].Actions = nil
	}
	return runs
}

// Acquire implements storetest.Store.
func (s *Store) Acquire(_ context.Context, name, holder string, d time.Duration) (memory.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, l := time.Now(), s.leases[name]
	switch {
	case !l.until.After(now):
		l.holder, l.token = holder, l.token+1
	case l.holder != holder:
		return memory.Lease{}, fmt.Errorf("lease %s: %w", name, memory.ErrHeld)
	}
	l.until = now.Add(d)
	s.leases[name] = l
	return memory.Lease{Name: name, Holder: holder, Token: l.token}, nil
}

// holds reports whether a lease is still valid.
func (s *Store) holds(l memory.Lease) bool {
	held := s.leases[l.Name]
	return held.holder == l.Holder && held.token == l.Token && held.until.After(time.Now())
}

// Renew implements storetest.Store.
func (s *Store) Renew(_ context.Context, l memory.Lease, d time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.holds(l):
		held := s.leases[l.Name]
		held.until = time.Now().Add(d)
		s.leases[l.Name] = held
	case d > 0:
		return fmt.Errorf("renew the lease %s: %w", l.Name, memory.ErrLeaseLost)
	}
	return nil
}

// Distillations implements storetest.Store.
func (s *Store) Distillations(_ context.Context, q memory.DistillationQuery) ([]memory.Distillation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.Limit <= 0 {
		q.Limit = 100
	}
	found := having(s.tables, "distillation", func(d memory.Distillation) bool {
		return slices.Contains(q.States, d.State) && (q.Sessions == nil || slices.Contains(q.Sessions, d.Session)) && (q.Due.IsZero() || !d.NextTry.After(q.Due))
	}, func(d memory.Distillation) (time.Time, string) { return d.NextTry, d.Session })
	return found[:min(q.Limit, len(found))], nil
}

// Spent implements storetest.Store.
func (s *Store) Spent(_ context.Context, q memory.SpendQuery) ([]memory.SpendTotal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	since := q.Since.UTC().Format(time.DateOnly)
	sums := map[[2]string]memory.SpendTotal{}
	for one := range all[memory.Spend](s.tables, "spend") {
		day := one.At.UTC().Format(time.DateOnly)
		if day < since || q.Session != "" && one.Session != q.Session {
			continue
		}
		key := [2]string{day, one.Job}
		total := sums[key]
		total.Day, total.Job = day, one.Job
		total.Calls++
		total.Input += one.Input
		total.Output += one.Output
		total.USD += one.USD
		if one.Error != "" {
			total.Failed++
		}
		if one.Estimated {
			total.Estimated++
		}
		sums[key] = total
	}
	totals := slices.Collect(maps.Values(sums))
	slices.SortFunc(totals, func(a, b memory.SpendTotal) int { return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Job, b.Job)) })
	return totals, nil
}
