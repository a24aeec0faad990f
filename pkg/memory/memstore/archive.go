package memstore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// table is a map as rows: each a JSON object of its key and value.
type table interface {
	rows() ([][]byte, error)
	insert(row []byte) error
	clear()
}

type row[K comparable, V any] struct {
	Key   K `json:"key"`
	Value V `json:"value"`
}

type mapped[K comparable, V any] map[K]V

func (m mapped[K, V]) rows() ([][]byte, error) {
	all := [][]byte{}
	for key, value := range m {
		one, err := json.Marshal(row[K, V]{key, value})
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	slices.SortFunc(all, bytes.Compare)
	return all, nil
}

func (m mapped[K, V]) insert(text []byte) error {
	var r row[K, V]
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("%w: %w", memory.ErrInvalid, err)
	}
	if _, ok := m[r.Key]; !ok {
		m[r.Key] = r.Value
	}
	return nil
}

func (m mapped[K, V]) clear() { clear(m) }

// table finds a table by its name, one for each map of the store.
func (s *Store) table(name string) table {
	switch name {
	case "distillation":
		return mapped[string, memory.Distillation](s.distillations)
	case "spend":
		return mapped[string, memory.Spend](s.spend)
	case "file":
		return mapped[string, memory.File](s.files)
	case "injected_in":
		return mapped[string, memory.Injection](s.injected)
	case "maintenance_run":
		return mapped[string, memory.Run](s.runs)
	case "memory":
		return mapped[string, memory.Memory](s.memories)
	case "session_event":
		return mapped[string, memory.SessionEvent](s.sessionEvents)
	case "project":
		return mapped[string, memory.ProjectRow](s.projects)
	case "prompt":
		return mapped[string, memory.Prompt](s.prompts)
	case "seen_in":
		return mapped[string, memory.Sighting](s.sightings)
	case "session":
		return mapped[string, memory.Session](s.sessions)
	case "active_day":
		return mapped[memory.ActiveDay, bool](s.days)
	case "band":
		return mapped[string, []string](s.bands)
	case "maintenance_job":
		return mapped[string, memory.JobState](s.jobs)
	case "standing":
		return mapped[string, *memory.Row](s.standings)
	case "used_in":
		return mapped[memory.Use, bool](s.uses)
	}
	return nil
}

var tableNames = []string{
	"active_day", "band", "distillation", "file", "injected_in", "maintenance_job", "maintenance_run", "memory",
	"session_event", "project", "prompt", "seen_in", "session", "spend", "standing", "used_in",
}

// CopyOut implements storetest.Store.
func (s *Store) CopyOut(_ context.Context, sink memory.CopySink) error {
	s.mu.Lock()
	contents := memory.Contents{Schema: []memory.SchemaVersion{}}
	all := map[string][][]byte{}
	for _, name := range tableNames {
		rows, err := s.table(name).rows()
		if err != nil {
			s.mu.Unlock()
			return fmt.Errorf("copy the table %s: %w", name, err)
		}
		all[name] = rows
		contents.Tables = append(contents.Tables, memory.Table{Name: name, Rows: len(rows)})
	}
	s.mu.Unlock()
	if err := sink.Begin(contents); err != nil {
		return err
	}
	for _, name := range tableNames {
		for _, one := range all[name] {
			if err := sink.Row(name, one); err != nil {
				return err
			}
		}
	}
	return nil
}

// CopyIn implements storetest.Store.
func (s *Store) CopyIn(_ context.Context, name string, rows [][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	into := s.table(name)
	if into == nil {
		return fmt.Errorf("copy into the table %.64q: %w", name, memory.ErrNotFound)
	}
	for _, one := range rows {
		if err := into.insert(one); err != nil {
			return fmt.Errorf("copy into the table %s: %w", name, err)
		}
	}
	s.reindex()
	return nil
}

// BeginRestore implements storetest.Store.
func (s *Store) BeginRestore(_ context.Context, source string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.restoring == "" && len(s.memories)+len(s.sessions)+len(s.prompts)+len(s.projects) > 0 {
		return fmt.Errorf("begin a restore: the store is %w", memory.ErrNotEmpty)
	}
	for _, name := range tableNames {
		s.table(name).clear()
	}
	s.reindex()
	s.restoring = source
	return nil
}

// EndRestore implements storetest.Store.
func (s *Store) EndRestore(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restoring = ""
	for id := range s.standings { // everything is new here
		s.touch(id)
	}
	return nil
}

// UnfinishedRestore implements storetest.Store.
func (s *Store) UnfinishedRestore(context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.restoring, nil
}
