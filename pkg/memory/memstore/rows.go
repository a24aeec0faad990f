package memstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Rows implements storetest.Store.
func (s *Store) Rows(_ context.Context, q memory.RowQuery) ([]memory.Row, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch q := q.(type) {
	case memory.WithIDs:
		var found []memory.Row
		for _, row := range among[*memory.Row](s.tables, "memory", q) {
			found = append(found, s.witnessed(*row))
		}
		return found, nil
	case memory.Due:
		return s.due(q), nil
	case memory.Start:
		return s.start(q), nil
	}
	order, limit, keep := selection(q)
	rows := s.tables.memories(order, limit, keep)
	all, _ := q.(memory.All)
	if page, _ := q.(memory.Page); all.Bare || page.Bare {
		for i := range rows {
			rows[i] = bare(rows[i])
		}
	}
	return rows, nil
}

// selection returns the order of a query, its limit, and its condition.
func selection(q memory.RowQuery) (order func(a, b memory.Row) int, limit int, keep func(*memory.Row) bool) {
	switch q := q.(type) {
	case memory.Beginning:
		id := string(q)
		return byID, memory.MostBeginning, func(r *memory.Row) bool {
			return r.Memory.ID == id || memory.IsIDBeginning(id) && strings.HasPrefix(r.Memory.ID, id)
		}
	case memory.Filter:
		return bestFirst, most(q.Limit), func(r *memory.Row) bool { return passes(q, r.Memory) }
	case memory.Uncounted:
		return byID, q.Limit, func(r *memory.Row) bool { return r.Memory.TokenEncoding != q.Encoding }
	case memory.Page:
		return byPage, q.Limit, func(r *memory.Row) bool {
			return r.Memory.Project == q.Project && r.Memory.Status == q.Status && memory.PageOrder(*r) > q.After
		}
	case memory.All:
		return byID, q.Limit, func(r *memory.Row) bool { return r.Memory.ID > q.After }
	}
	panic(fmt.Sprintf("no store has a query of the type %T", q))
}

func byID(a, b memory.Row) int { return cmp.Compare(a.Memory.ID, b.Memory.ID) }

func byPage(a, b memory.Row) int { return cmp.Compare(memory.PageOrder(a), memory.PageOrder(b)) }

func bestFirst(a, b memory.Row) int {
	return cmp.Or(cmp.Compare(b.Memory.Importance, a.Memory.Importance), b.Memory.LastSeenAt.Compare(a.Memory.LastSeenAt), byID(a, b))
}

// passes reports whether a filter selects a memory.
func passes(f memory.Filter, m memory.Memory) bool {
	return (f.Project == "" || m.Project == f.Project) &&
		(f.Scope == "" || m.Scope == f.Scope) &&
		(len(f.Kinds) == 0 || slices.Contains(f.Kinds, m.Kind)) &&
		(len(f.Statuses) == 0 || slices.Contains(f.Statuses, m.Status))
}

func (s *Store) due(q memory.Due) (all []memory.Row) {
	longest := func(a, b memory.Row) int { return cmp.Or(cmp.Compare(a.DueOn, b.DueOn), byID(a, b)) }
	for project, reading := range q.Readings {
		all = append(all, s.tables.memories(longest, q.Limit, func(r *memory.Row) bool {
			return r.Memory.Project == project && r.DueOn <= reading &&
				(r.Memory.Status == memory.StatusActive || r.Memory.Status == memory.StatusArchived)
		})...)
	}
	return all
}

func (s *Store) start(q memory.Start) (all []memory.Row) {
	usersFirst := func(a, b memory.Row) int {
		switch users := a.Memory.IsUsersWord(); {
		case users == b.Memory.IsUsersWord():
			return bestFirst(a, b)
		case users:
			return -1
		}
		return 1
	}
	for _, kind := range memory.StartKinds() {
		for _, owner := range []string{q.Project, ""} {
			for _, isFact := range []bool{true, false} {
				all = append(all, s.tables.memories(usersFirst, q.Limit, func(r *memory.Row) bool {
					m := r.Memory
					return m.Project == owner && m.Kind == kind && m.Status == memory.StatusActive && m.IsFact() == isFact
				})...)
			}
		}
	}
	return all
}

// bare returns a row without its texts.
func bare(row memory.Row) memory.Row {
	m := &row.Memory
	m.Content, m.Detail, m.Command, m.Signature, m.Session, m.Title, m.Area = "", "", "", "", "", "", ""
	m.Tags, m.Cues, m.Files, row.DerivedFrom = nil, nil, nil, nil
	return row
}

// witnessed counts the sessions and projects that showed a row or one of those merged
// into it.
func (s *Store) witnessed(row memory.Row) memory.Row {
	sessions, projects := map[string]bool{}, map[string]bool{}
	for _, id := range append([]string{row.Memory.ID}, s.index.takenIn[row.Memory.ID]...) {
		if at := s.tables.memory(id); at == nil || id != row.Memory.ID && at.MergedInto != row.Memory.ID {
			continue
		}
		for _, sighting := range about[memory.Sighting](s, "seen_in", id) {
			sessions[sighting.Session] = true
			if known, isThere := get[memory.Session](s.tables, "session", sighting.Session); isThere {
				projects[known.Project] = true
			}
		}
	}
	row.Sessions, row.Projects = max(row.Sessions, len(sessions)), max(row.Projects, len(projects))
	return row
}

// most returns a limit, or the default for none.
func most(limit int) int { return cmp.Or(max(limit, 0), memory.DefaultLimit) }

// CountMemories implements storetest.Store.
func (s *Store) CountMemories(_ context.Context, f memory.Filter) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tables.memories(byID, withoutLimit, func(r *memory.Row) bool { return passes(f, r.Memory) })), nil
}

// Recallable implements storetest.Store.
func (s *Store) Recallable(ctx context.Context, project string, size int, visit func([]memory.Row) error) error {
	for page := range slices.Chunk(s.recallable(project), size) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := visit(page); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) recallable(project string) []memory.Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tables.memories(byID, withoutLimit, func(r *memory.Row) bool {
		return (r.Memory.Project == project || r.Memory.Project == "") && r.Memory.Recallable()
	})
}
