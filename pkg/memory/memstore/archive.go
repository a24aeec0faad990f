package memstore

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// CopyOut implements storetest.Store.
func (s *Store) CopyOut(_ context.Context, sink memory.CopySink) error {
	contents, all, err := s.encoded()
	if err == nil {
		err = sink.Begin(contents)
	}
	for _, table := range contents.Tables {
		for _, row := range all[table.Name] {
			if err == nil {
				err = sink.Row(table.Name, row)
			}
		}
	}
	return err
}

func (s *Store) encoded() (contents memory.Contents, all map[string][][]byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	contents.Schema, all = []memory.SchemaVersion{}, map[string][][]byte{}
	for _, name := range s.tables.names() {
		if all[name], err = s.tables.encode(name); err != nil {
			return contents, nil, err
		}
		contents.Tables = append(contents.Tables, memory.Table{Name: name, Rows: len(all[name])})
	}
	return contents, all, nil
}

// CopyIn implements storetest.Store.
func (s *Store) CopyIn(_ context.Context, name string, rows [][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tables[name] == nil {
		return fmt.Errorf("copy into the table %.64q: %w", name, memory.ErrNotFound)
	}
	for _, row := range rows {
		if err := s.tables.decode(name, row); err != nil {
			return fmt.Errorf("copy into the table %s: %w: %w", name, memory.ErrInvalid, err)
		}
	}
	s.reindex()
	return nil
}

// Export implements storetest.Store.
func (s *Store) Export(_ context.Context, q memory.ExportQuery) (page memory.ExportPage, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.Limit <= 0 {
		q.Limit = memory.ExportLimit
	}
	isOurs := func(project string) bool { return q.Project == "" || project == q.Project }
	isExported := func(row *memory.Row) bool {
		return row != nil && isOurs(row.Memory.Project) && row.Memory.Status != memory.StatusForgotten
	}
	switch q.Section {
	case memory.SectionProject:
		page.Next = after(s, "project", q, func(p memory.ProjectRow) bool { return isOurs(p.Key) }, func(p memory.ProjectRow) {
			page.Projects = append(page.Projects, p.Project)
		})
	case memory.SectionSession:
		page.Next = after(s, "session", q, func(one memory.Session) bool { return isOurs(one.Project) }, func(one memory.Session) {
			page.Sessions = append(page.Sessions, one)
		})
	case memory.SectionPrompt:
		page.Next = after(s, "prompt", q, func(p memory.Prompt) bool { return isOurs(p.Project) }, func(p memory.Prompt) {
			page.Prompts = append(page.Prompts, p)
		})
	case memory.SectionMemory:
		page.Next = after(s, "memory", q, isExported, func(row *memory.Row) { page.Memories = append(page.Memories, row.Memory) })
	case memory.SectionSighting:
		page.Next = after(s, "seen_in", q, func(one memory.Sighting) bool { return isExported(s.tables.memory(one.Memory)) }, func(one memory.Sighting) {
			page.Sightings = append(page.Sightings, one)
		})
	default:
		return page, fmt.Errorf("export %q: there is no such section: %w", q.Section, memory.ErrInvalid)
	}
	return page, nil
}

// after visits a page of rows in the order of their ids, and returns the After of the next page.
func after[T any](s *Store, table string, q memory.ExportQuery, keep func(T) bool, visit func(T)) (next string) {
	n := 0
	for _, id := range slices.Sorted(maps.Keys(s.tables[table])) {
		if row := s.tables[table][id].(T); id > q.After && keep(row) {
			visit(row)
			if n++; n == q.Limit {
				return id
			}
		}
	}
	return ""
}
