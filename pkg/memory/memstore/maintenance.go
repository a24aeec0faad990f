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
		for _, d := range s.days {
			s.index.days[d.Project] = append(s.index.days[d.Project], d.Day)
		}
		for _, active := range s.index.days {
			slices.Sort(active)
		}
	}
	days := maps.Clone(s.index.days)
	for project, active := range days {
		days[project] = slices.Clone(active)
	}
	return days, nil
}

// Changed implements storetest.Store.
func (s *Store) Changed(_ context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	page, seen := memory.ChangePage{Cursor: q.After, Last: true}, 0
	s.changed(q.After, func(id string) bool {
		if seen == q.Limit {
			page.Last = false
			return false
		}
		row, _ := s.stored(id)
		if row.Memory.Kind.Searchable() {
			page.Rows = append(page.Rows, row)
		}
		page.Cursor = row.Cursor
		seen++
		return true
	})
	return page, nil
}

// ChangedProjects implements storetest.Store.
func (s *Store) ChangedProjects(_ context.Context, after memory.ChangeCursor) (map[string]memory.ProjectChanges, memory.ChangeCursor, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changes := map[string]memory.ProjectChanges{}
	s.changed(after, func(id string) bool {
		row, _ := s.stored(id)
		activity := row.Memory.Kind.IsActivity() && row.Memory.LastSeenAt.After(row.RetiredAt)
		changes[row.Memory.Project] = memory.ProjectChanges{Activities: activity || changes[row.Memory.Project].Activities}
		after = row.Cursor
		return true
	})
	return changes, after, nil
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
		there[key] = union(slices.Clone(ids), s.bands[key])
		if note {
			s.bands[key] = memory.Noted(s.bands[key], ids)
		}
	}
	return there, nil
}

// Budgets implements storetest.Store.
func (s *Store) Budgets(_ context.Context, project string, since time.Time) ([]memory.BudgetTotal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	totals := map[memory.BudgetScope]memory.BudgetTotal{}
	for _, row := range s.memories {
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

// Activities implements storetest.Store.
func (s *Store) Activities(_ context.Context, project string, sessions int) ([]memory.Activity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var own []memory.Session
	for _, session := range s.sessions {
		if session.Project == project {
			own = append(own, session)
		}
	}
	var seen []memory.Sighting
	for _, session := range slices.Backward(memory.Newest(own, sessions)) {
		for _, id := range s.index.seen[session.ID] {
			seen = append(seen, s.sightings[id])
		}
	}
	slices.SortFunc(seen, func(a, b memory.Sighting) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	activities := make([]memory.Activity, 0, len(seen))
	for _, sighting := range seen {
		row, _ := s.stored(sighting.Memory)
		m := row.Memory
		isFix := m.Kind == memory.KindFix && m.Status == memory.StatusActive
		if !m.Kind.IsActivity() && !isFix {
			continue
		}
		activity := memory.Activity{
			ID: sighting.ID, Session: sighting.Session, At: sighting.At,
			Memory: m.ID, Project: m.Project, Kind: m.Kind, Command: m.Command,
		}
		switch {
		case isFix:
			activity.Detail = m.Content
		case m.Kind == memory.KindFailure:
			activity.Detail = m.Detail
		}
		if m.Kind == memory.KindEdit && len(m.Files) > 0 {
			activity.File = m.Files[0]
		}
		activities = append(activities, activity)
	}
	return activities, nil
}

// removed reports whether somebody undid the run that had created a memory: no run
// creates it again.
func (s *Store) removed(id string) bool {
	for _, run := range s.runs {
		for _, a := range run.Actions {
			if a.Memory == id && a.Kind == memory.ActionRemove {
				return true
			}
		}
	}
	return false
}

// record adds a run, or a step of one.
func (s *Store) record(run memory.Run) {
	run.Actions = slices.Concat(s.runs[run.ID].Actions, run.Actions)
	s.runs[run.ID] = run
	if run.EndedAt.IsZero() {
		s.index.open[run.ID] = true
	} else {
		delete(s.index.open, run.ID)
	}
}

// Runs implements storetest.Store.
func (s *Store) Runs(_ context.Context, q memory.RunQuery) ([]memory.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	runs := []memory.Run{}
	switch run, isThere := s.runs[q.ID]; {
	case isThere:
		return append(runs, run), nil
	case q.Open:
		for id := range s.index.open {
			if run, known := s.runs[id]; known && run.EndedAt.IsZero() {
				runs = append(runs, run)
			}
		}
		slices.SortFunc(runs, func(a, b memory.Run) int { return cmp.Or(a.StartedAt.Compare(b.StartedAt), cmp.Compare(a.ID, b.ID)) })
		return withoutActions(runs), nil
	}
	for id, run := range s.runs {
		if strings.HasPrefix(id, q.ID) {
			runs = append(runs, run)
		}
	}
	if q.ID != "" && len(runs) == 1 {
		return runs, nil
	}
	slices.SortFunc(runs, func(a, b memory.Run) int { return b.StartedAt.Compare(a.StartedAt) })
	return withoutActions(runs[:min(most(q.Limit), len(runs))]), nil
}

// Job implements storetest.Store.
func (s *Store) Job(_ context.Context, job string) (memory.JobState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.jobs[job]
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
