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
	isExported := func(row *memory.Row) bool {
		return isOurs(row.Memory.Project) && row.Memory.Status != memory.StatusForgotten
	}
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
		var rows []*memory.Row
		rows, page.Next = rowsAfter(s.memories, q, isExported)
		for _, row := range rows {
			page.Memories = append(page.Memories, row.Memory)
		}
	case memory.SectionSighting:
		page.Sightings, page.Next = rowsAfter(s.sightings, q, func(one memory.Sighting) bool {
			row, isThere := s.memories[one.Memory]
			return isThere && isExported(row)
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
