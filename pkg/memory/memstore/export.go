package memstore

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Export implements storetest.Store.
func (s *Store) Export(_ context.Context, q memory.ExportQuery) (memory.ExportPage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.Limit <= 0 {
		q.Limit = memory.ExportLimit
	}
	var page memory.ExportPage
	isOurs := func(project string) bool { return q.Project == "" || project == q.Project }
	switch q.Section {
	case memory.SectionProject:
		var rows []memory.ProjectRow
		rows, page.Next = rowsAfter(s.projects, q, func(p memory.ProjectRow) bool { return isOurs(p.Key) })
		for _, row := range rows {
			page.Projects = append(page.Projects, row.Project)
		}
	case memory.SectionSession:
		page.Sessions, page.Next = rowsAfter(s.sessions, q, func(one memory.Session) bool { return isOurs(one.Project) })
	case memory.SectionPrompt:
		page.Prompts, page.Next = rowsAfter(s.prompts, q, func(p memory.Prompt) bool { return isOurs(p.Project) })
	case memory.SectionMemory:
		page.Memories, page.Next = rowsAfter(s.memories, q, func(m memory.Memory) bool {
			return isOurs(m.Project) && m.Status != memory.StatusForgotten
		})
	case memory.SectionSighting:
		page.Sightings, page.Next = rowsAfter(s.sightings, q, func(one memory.Sighting) bool {
			m := s.memories[one.Memory]
			return isOurs(m.Project) && m.Status != memory.StatusForgotten
		})
	default:
		return page, fmt.Errorf("export %q: there is no such section: %w", q.Section, memory.ErrInvalid)
	}
	return page, nil
}

func rowsAfter[T any](all map[string]T, q memory.ExportQuery, keep func(T) bool) (rows []T, next string) {
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if id <= q.After || !keep(all[id]) {
			continue
		}
		rows = append(rows, all[id])
		if len(rows) == q.Limit {
			return rows, id
		}
	}
	return rows, ""
}
