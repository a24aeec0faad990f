package briefing

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

const (
	// maxIndexes bounds the number of loaded projects.
	maxIndexes = 8
	// loadTime bounds the loading of a project, for all callers.
	loadTime = 30 * time.Second
	// indexAge is the highest age of an index if others may write to the store: this
	// agent applies its own writes at once.
	indexAge = 5 * time.Minute
)

// indexes holds the recall indexes of the recently used projects.
type indexes struct {
	mu      sync.Mutex // held from looking for an entry until it is added
	entries *lru.Cache[string, *projectIndex]
}

// projectIndex is the index of one project, or the place for it.
type projectIndex struct {
	mu     sync.Mutex // held while it is loaded
	index  *recall.Index
	loaded time.Time
	writes int // since then

	calibrating sync.Mutex // held while it is calibrated
}

func (x *indexes) entry(project string) *projectIndex {
	x.mu.Lock()
	defer x.mu.Unlock()
	entry, known := x.entries.Get(project)
	if !known {
		entry = &projectIndex{}
		x.entries.Add(project, entry)
	}
	return entry
}

func (x *indexes) all() map[string]*projectIndex {
	all := map[string]*projectIndex{}
	for _, project := range x.entries.Keys() {
		if entry, held := x.entries.Peek(project); held {
			all[project] = entry
		}
	}
	return all
}

// of returns the indexes that hold memories of this project: its own, or all of them
// for the user's memories.
func (x *indexes) of(project string) []*projectIndex {
	var found []*projectIndex
	for key, entry := range x.all() {
		if project == "" || key == project {
			found = append(found, entry)
		}
	}
	return found
}

// move puts a row into the indexes it belongs to, and removes it from the others.
func (x *indexes) move(row memory.Row) {
	for project, entry := range x.all() {
		if row.Memory.Project == "" || row.Memory.Project == project {
			entry.put(row)
		} else {
			entry.remove(row.Memory.ID)
		}
	}
}

func (x *indexes) remove(id string) {
	for _, entry := range x.all() {
		entry.remove(id)
	}
}

// held is the index, or nil while it is not loaded.
func (e *projectIndex) held() *recall.Index {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.index
}

// isDue tells whether the index is too old, and the number of writes it has seen.
func (e *projectIndex) isDue(now time.Time) (writes int, due bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.writes, e.index != nil && now.Sub(e.loaded) >= indexAge
}

func (e *projectIndex) put(row memory.Row) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.writes++
	switch {
	case e.index == nil: // the coming load will include it
	case row.Memory.Recallable():
		e.index.Put(entryOf(row))
	default:
		e.index.Remove(row.Memory.ID)
	}
}

func (e *projectIndex) remove(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.index != nil {
		e.writes++
		e.index.Remove(id)
	}
}

func entryOf(row memory.Row) recall.Entry {
	m := row.Memory
	return recall.Entry{
		Memory: m, Session: m.Session, Files: m.Files, Command: knowledge.FailureCore(m.Command), Signature: m.Signature, SupersededBy: row.SupersededBy,
	}
}
