package briefing

import (
	"context"
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

// index returns the project's index, loading it first if need be.
func (b *Briefing) index(ctx context.Context, project string) (*recall.Index, error) {
	// The next caller profits from a load that this one cannot wait for.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTime)
	defer cancel()
	return b.loadIndex(ctx, project)
}

// loadIndex returns the project's index, and loads it in the time of ctx.
func (b *Briefing) loadIndex(ctx context.Context, project string) (*recall.Index, error) {
	entry := b.indexes.entry(project)
	entry.mu.Lock()
	defer entry.mu.Unlock()
	if entry.index != nil {
		return entry.index, nil
	}
	index, err := b.readIndex(ctx, project)
	if err != nil {
		return nil, err
	}
	entry.index, entry.loaded = index, b.Now()
	return index, nil
}

// Warm loads the project's index if it is not, so that the first prompt of its
// session need not wait for that, and calibrates it where that is due.
func (b *Briefing) Warm(ctx context.Context, project string) {
	index, err := b.loadIndex(ctx, project)
	if err != nil {
		if ctx.Err() == nil {
			b.Log.Debug("an index could not be loaded", "project", project, "error", err)
		}
		return
	}
	entry := b.indexes.entry(project)
	if entry.calibrating.TryLock() { // else somebody is at it
		defer entry.calibrating.Unlock()
		calibrate(index)
	}
}

// calibrate finds out what chance finds in an index, if that is not known or no
// longer true. It takes up to a second; the index answers meanwhile.
func calibrate(index *recall.Index) {
	if !index.Calibrated() {
		index.Calibrate(recall.SamplePrompts(index.Memories()))
	}
}

// Reload reloads the indexes that are too old, if the store is one that agents
// of other machines may write to. Whoever asks meanwhile is answered from the old
// one; a write meanwhile has the load done again.
func (b *Briefing) Reload(ctx context.Context) {
	if !b.Shared {
		return
	}
	for project, entry := range b.indexes.all() {
		if writes, due := entry.isDue(b.Now()); due {
			if err := b.reloadOne(ctx, project, entry, writes); err != nil && ctx.Err() == nil {
				b.Log.Debug("an index could not be reloaded", "project", project, "error", err)
			}
		}
	}
}

func (b *Briefing) reloadOne(ctx context.Context, project string, entry *projectIndex, writes int) error {
	now := b.Now()
	index, err := b.readIndex(ctx, project)
	if err != nil {
		return err
	}
	calibrate(index)
	entry.mu.Lock()
	defer entry.mu.Unlock()
	if entry.writes == writes {
		entry.index, entry.loaded = index, now
	}
	return nil
}

func (b *Briefing) readIndex(ctx context.Context, project string) (*recall.Index, error) {
	entries, err := b.readEntries(ctx, project)
	if err != nil {
		return nil, err
	}
	index := recall.NewIndex(b.Weights)
	for _, e := range entries {
		index.Put(e)
	}
	return index, nil
}

// readEntries reads what the index of a project is to hold.
func (b *Briefing) readEntries(ctx context.Context, project string) ([]recall.Entry, error) {
	rows, err := b.Store.Recallable(ctx, project)
	if err != nil {
		return nil, err
	}
	entries := make([]recall.Entry, 0, len(rows))
	for _, row := range rows {
		if row.Memory.Recallable() {
			entries = append(entries, entryOf(row))
		}
	}
	return entries, nil
}

func entryOf(row memory.Row) recall.Entry {
	m := row.Memory
	return recall.Entry{
		Memory: m, Session: m.Session, Files: m.Files, Command: knowledge.FailureCore(m.Command), Signature: m.Signature, SupersededBy: row.SupersededBy,
	}
}

// refreshIndexes brings what was written into the indexes that are loaded. It is
// read back from the store, which is the only truth: a write may have been merged
// with a row that was there. If it cannot be, they are reloaded.
func (b *Briefing) refreshIndexes(ctx context.Context, written []memory.Memory) {
	var ids []string
	for _, m := range written {
		if len(b.indexes.of(m.Project)) > 0 {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	rows, err := b.Store.Rows(ctx, ids)
	if err != nil {
		b.Log.Warn("recall does not see what was written, it is reloaded", "error", err)
		b.indexes.entries.Purge()
		return
	}
	for _, row := range rows {
		for _, entry := range b.indexes.of(row.Memory.Project) {
			entry.put(row)
		}
	}
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
