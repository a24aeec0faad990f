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
	// maxIndexes bounds the projects whose memories are held for recall.
	maxIndexes = 8
	// loadTime bounds what loading a project may take, whoever waits for it.
	loadTime = 30 * time.Second
	// indexAge is how old an index may be that others may write behind: this agent
	// sees its own writes at once.
	indexAge = 5 * time.Minute
)

// indexes holds the recall indexes of the projects used lately.
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

// of returns the indexes that a memory of this project belongs into: its own, or
// all of them for a memory of the user's.
func (x *indexes) of(project string) []*projectIndex {
	var found []*projectIndex
	for key, entry := range x.all() {
		if project == "" || key == project {
			found = append(found, entry)
		}
	}
	return found
}

// move brings a row into the indexes it belongs to now, and out of the others.
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

// isDue tells whether the index is too old, and how many writes it has seen.
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
	case e.index == nil: // the load that is to come will see it
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
