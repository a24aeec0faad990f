package memstore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// table presents a map as rows, each a JSON object of its key and value.
type table interface {
	rows() ([][]byte, error)
	insert(row []byte) error
	clear()
	each(visit func(id string, row any))
	has(id string) bool
	put(id string, row any)
	drop(id string)
}

type row[V any] struct {
	Key   string `json:"key"`
	Value V      `json:"value"`
}

type mapped[V any] map[string]V

func (m mapped[V]) rows() ([][]byte, error) {
	all := [][]byte{}
	for key, value := range m {
		one, err := json.Marshal(row[V]{key, value})
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	slices.SortFunc(all, bytes.Compare)
	return all, nil
}

func (m mapped[V]) insert(text []byte) error {
	var r row[V]
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("%w: %w", memory.ErrInvalid, err)
	}
	if !m.has(r.Key) {
		m[r.Key] = r.Value
	}
	return nil
}

func (m mapped[V]) clear() { clear(m) }

func (m mapped[V]) each(visit func(id string, row any)) {
	for id, row := range m {
		visit(id, row)
	}
}

func (m mapped[V]) has(id string) bool {
	_, isThere := m[id]
	return isThere
}

func (m mapped[V]) put(id string, row any) { m[id] = row.(V) }

func (m mapped[V]) drop(id string) { delete(m, id) }

// anyRows are the rows of a table that nothing reads.
type anyRows struct {
	mapped[any]
	of *memory.RowType
}

func (r anyRows) insert(text []byte) error {
	var one row[json.RawMessage]
	err := json.Unmarshal(text, &one)
	if err == nil && !r.has(one.Key) {
		r.mapped[one.Key], err = r.of.Decode(one.Value)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", memory.ErrInvalid, err)
	}
	return nil
}

// table finds a table by its name.
func (s *Store) table(name string) table {
	switch name {
	case "distillation":
		return mapped[memory.Distillation](s.distillations)
	case "spend":
		return mapped[memory.Spend](s.spend)
	case "file":
		return mapped[memory.File](s.files)
	case "injected_in":
		return mapped[memory.Injection](s.injected)
	case "maintenance_run":
		return mapped[memory.Run](s.runs)
	case "memory":
		return mapped[*memory.Row](s.memories)
	case "session_event":
		return mapped[memory.SessionEvent](s.sessionEvents)
	case "project":
		return mapped[memory.ProjectRow](s.projects)
	case "prompt":
		return mapped[memory.Prompt](s.prompts)
	case "seen_in":
		return mapped[memory.Sighting](s.sightings)
	case "session":
		return mapped[memory.Session](s.sessions)
	case "active_day":
		return mapped[memory.ActiveDay](s.days)
	case "band":
		return mapped[[]string](s.bands)
	case "maintenance_job":
		return mapped[memory.JobState](s.jobs)
	case "used_in":
		return mapped[memory.Use](s.uses)
	}
	of, isKnown := memory.RowTypeIn(name)
	if !isKnown {
		return nil
	}
	if _, isThere := s.others[name]; !isThere {
		s.others[name] = anyRows{mapped[any]{}, of}
	}
	return s.others[name]
}

var tableNames = func() []string {
	names := []string{"band", "maintenance_job"}
	for _, of := range memory.RowTypes() {
		names = append(names, of.Table)
	}
	slices.Sort(names)
	return names
}()

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
	for _, row := range s.memories { // everything is new here
		s.touch(row)
	}
	return nil
}

// UnfinishedRestore implements storetest.Store.
func (s *Store) UnfinishedRestore(context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.restoring, nil
}
