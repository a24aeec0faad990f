// Package recallset reads sets of memories and questions, and measures how well recall answers them. It owns the
// form of the files and the meaning of the measures.
package recallset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// The files of a set.
const (
	memoriesFile = "memories.jsonl"
	queriesFile  = "queries.jsonl"
)

// Set is a body of memories with questions about it.
type Set struct {
	Name     string
	Memories []Memory
	Queries  []Query
}

// Memory is a line of memories.jsonl. The lines of a session are in the order of their events.
type Memory struct {
	ID           string    `json:"id"`
	Session      string    `json:"session"`
	CreatedAt    time.Time `json:"created_at"`
	Content      string    `json:"content"`
	Kind         string    `json:"kind,omitempty"`
	Files        []string  `json:"files,omitempty"`
	Command      string    `json:"command,omitempty"`
	SupersededBy string    `json:"superseded_by,omitempty"`
	Source       string    `json:"source,omitempty"`
}

// Query is a line of queries.jsonl. A query without evidence must get no answer.
type Query struct {
	ID       string   `json:"id"`
	Text     string   `json:"query"`
	Evidence []string `json:"evidence"`
	// AsOf and Session are the time and session of the question, if the set has them. Memories that are later, or
	// of the same session, must not answer it.
	AsOf    time.Time `json:"as_of,omitzero"`
	Session string    `json:"session,omitempty"`
}

// Load reads the set in a folder, or in each folder below it.
func Load(dir string) ([]Set, error) {
	var sets []Set
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() != memoriesFile {
			return err
		}
		set, err := loadSet(filepath.Dir(path))
		if err != nil {
			return err
		}
		if set.Name, err = filepath.Rel(dir, filepath.Dir(path)); err != nil {
			return err
		}
		if set.Name == "." {
			set.Name = filepath.Base(dir)
		}
		sets = append(sets, set)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load the sets of %s: %w", dir, err)
	}
	if len(sets) == 0 {
		return nil, fmt.Errorf("load the sets of %s: no %s in it or below it", dir, memoriesFile)
	}
	return sets, nil
}

func loadSet(dir string) (Set, error) {
	memories, err := ReadLines[Memory](filepath.Join(dir, memoriesFile))
	if err != nil {
		return Set{}, err
	}
	queries, err := ReadLines[Query](filepath.Join(dir, queriesFile))
	if err != nil {
		return Set{}, err
	}
	set := Set{Memories: memories, Queries: queries}
	return set, set.Validate(dir)
}

// Validate returns an error for a set that would silently make the measures wrong.
func (s Set) Validate(dir string) error {
	known := map[string]bool{}
	for _, m := range s.Memories {
		if m.ID == "" || known[m.ID] {
			return fmt.Errorf("%s: memory id %q is empty or a duplicate", dir, m.ID)
		}
		known[m.ID] = true
	}
	for _, q := range s.Queries {
		for _, id := range q.Evidence {
			if !known[id] {
				return fmt.Errorf("%s: query %s names the memory %q, which does not exist", dir, q.ID, id)
			}
		}
	}
	return nil
}

// ReadLines reads a file of consecutive JSON values. Its error has the number of the invalid value.
func ReadLines[T any](path string) (values []T, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	decoder := json.NewDecoder(file)
	for {
		var value T
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s, value %d: %w", path, len(values)+1, err)
		}
		values = append(values, value)
	}
}

// Latest returns the time of the newest memory.
func (s Set) Latest() time.Time {
	var latest time.Time
	for _, m := range s.Memories {
		if m.CreatedAt.After(latest) {
			latest = m.CreatedAt
		}
	}
	return latest
}
