package briefing

import (
	"slices"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

const (
	// maxIndexes is the maximum number of loaded projects.
	maxIndexes = 8
	// loadTime limits the loading of a project from a very slow store. Each page has its own, shorter limit.
	loadTime = 5 * time.Minute
	// indexAge is the maximum age of an index if other daemons write to the store, too.
	indexAge = 5 * time.Minute
)

// indexes has the recall indexes of the most recently used projects.
type indexes struct {
	mu      sync.Mutex // held from the lookup of an entry until it is added
	entries *lru.Cache[string, *projectIndex]
}

// projectIndex has the index of one project, which may not be loaded yet.
type projectIndex struct {
	mu      sync.Mutex // guards the fields below; not held while the store is read
	index   *recall.Index
	loaded  time.Time // when the load of the index began
	loading *load     // nil for none
	start   opening
}

// opening has the rows with which sessions of a project start.
type opening struct {
	rows    memory.StartContext
	changes int // number of changes of the project's memories and summaries, from 1
	after   int // value of changes when rows was made; 0 if it was never made
	packed  *packedStarts
}

// packedStarts caches the texts of the starts that show all rows of an opening: packing takes longer than the hook itself.
type packedStarts struct{ of sync.Map } // a map of pack.Packed by start.Key

// load is the loading of an index. Rows written meanwhile are put into it at the end: the pages read before may lack them.
type load struct {
	done    chan struct{}          // closed when the index is complete or err is set
	changed map[string]*memory.Row // rows by memory id; nil for a removed memory
	index   *recall.Index          // what has been read so far
	err     error
}

func newLoad() *load {
	return &load{
		done: make(chan struct{}), changed: map[string]*memory.Row{}, index: recall.NewIndex(recall.DefaultWeights()),
	}
}

func (x *indexes) entry(project string) *projectIndex {
	x.mu.Lock()
	defer x.mu.Unlock()
	entry, known := x.entries.Get(project)
	if !known {
		entry = &projectIndex{start: opening{changes: 1}}
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

// superseded returns the ids of the superseded memories in the loaded indexes.
func (x *indexes) superseded() (ids []string) {
	for _, entry := range x.all() {
		entry.mu.Lock()
		if entry.index != nil {
			ids = append(ids, memory.Each(entry.index.Superseded(), func(m memory.Memory) string { return m.ID })...)
		}
		entry.mu.Unlock()
	}
	return ids
}

// change puts the row of a memory, nil for none, into the indexes to which it belongs, and removes it from the others.
func (x *indexes) change(id string, row *memory.Row) {
	for project, entry := range x.all() {
		if row == nil || row.Memory.Project == "" || row.Memory.Project == project {
			entry.change(id, row)
		} else {
			entry.change(id, nil)
		}
	}
}

// indexOrLoad returns the index or else its load. begins is set if the caller must begin the load.
func (e *projectIndex) indexOrLoad() (held *recall.Index, l *load, begins bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.index == nil && e.loading == nil {
		e.loading, begins = newLoad(), true
	}
	return e.index, e.loading, begins
}

// part returns the index with what a running load has read so far; nil if no load runs.
func (e *projectIndex) part() *recall.Index {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.loading == nil {
		return nil
	}
	return e.loading.index
}

// cachedOpening returns the opening that was cached last.
func (e *projectIndex) cachedOpening() opening {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.start
}

// cacheOpening caches an opening, unless the project has changed since its rows were read.
func (e *projectIndex) cacheOpening(made opening) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if made.changes == e.start.changes {
		e.start = made
	}
}

// conclude records that a session has ended, or has changed after its end.
func (e *projectIndex) conclude(s memory.Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.State.IsOver() || slices.ContainsFunc(e.start.rows.Summaries, func(other memory.Session) bool { return other.ID == s.ID }) {
		e.start.changes++ // a start shows ended sessions only, so no other session makes it outdated
	}
}

// reload returns a load for the caller to begin if the index is older than age and is not being loaded.
func (e *projectIndex) reload(now time.Time, age time.Duration) (l *load, due bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.index == nil || e.loading != nil || now.Sub(e.loaded) < age {
		return nil, false
	}
	e.loading = newLoad()
	return e.loading, true
}

// finish ends a load. After an error the next caller begins another.
func (e *projectIndex) finish(l *load, err error, began time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer close(l.done)
	e.loading = nil
	if l.err = err; err != nil {
		return
	}
	for id, row := range l.changed {
		change(l.index, id, row)
	}
	if e.index != nil {
		e.start.changes++
	}
	e.index, e.loaded = l.index, began
}

// change applies a write to the index and to a running load. Without either, the next load reads the write from the store.
func (e *projectIndex) change(id string, row *memory.Row) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.loading != nil {
		e.loading.changed[id] = row
	}
	if e.index == nil {
		return
	}
	if _, has := e.index.Entry(id); has || row != nil {
		e.start.changes++
		change(e.index, id, row)
	}
}

// isOffered reports whether a memory may be injected unasked: a fact, or a memory that somebody asked to keep, unless it was
// superseded. When the other memories were offered, too, they disturbed more prompts than they helped (docs/lab/recall.md).
func isOffered(row memory.Row) bool {
	m := row.Memory
	byPerson := row.UserWritten || m.Pinned
	byModel := m.Source == memory.SourceAssistant && m.Kind.IsUserAuthored() && m.Kind != memory.KindTodo // by store_memory
	return row.SupersededBy == "" && (m.IsFact() || byPerson || byModel)
}

// change puts a row into an index, or removes it if recall cannot return it.
func change(x *recall.Index, id string, row *memory.Row) {
	if row != nil && row.Memory.IsRecallable() {
		x.Put(entryOf(*row))
		return
	}
	x.Remove(id)
}

func entryOf(row memory.Row) recall.Entry {
	row.Memory.Asked = row.UserWritten
	return recall.Entry{Memory: row.Memory, SupersededBy: row.SupersededBy, Offered: isOffered(row)}
}

// Missing returns why the row's memory is not a candidate for a prompt.
func Missing(x *recall.Index, row memory.Row) daemonapi.LeftOut {
	_, has := x.Memory(row.Memory.ID)
	switch {
	case isGone(row):
		return whyGone(row)
	case !has:
		return daemonapi.LeftOut{Reason: daemonapi.NoFit, Why: "a prompt gets only active memories of the project and the user, and no records of edits, commands and other tools"}
	case isOffered(row):
		return daemonapi.LeftOut{Reason: daemonapi.NoFit, Why: "it shares no word with the prompt"}
	default:
		return daemonapi.LeftOut{Reason: daemonapi.SaidInPassing, Why: "nobody asked to keep it, and it is not a fact: it is found by search"}
	}
}

func isGone(row memory.Row) bool {
	return row.SupersededBy != "" || row.Memory.Status != memory.StatusActive
}

// whyGone returns the reason why a memory is given to nobody.
func whyGone(row memory.Row) daemonapi.LeftOut {
	switch {
	case row.SupersededBy != "":
		return daemonapi.LeftOut{Reason: daemonapi.Superseded, By: row.SupersededBy, Why: memory.ShortID(row.SupersededBy) + " supersedes it"}
	case row.MergedInto != "":
		return daemonapi.LeftOut{Reason: daemonapi.NotActive, By: row.MergedInto, Why: "it was merged into " + memory.ShortID(row.MergedInto) + ", which says the same"}
	}
	return daemonapi.LeftOut{Reason: daemonapi.NotActive, Why: "it is " + string(row.Memory.Status)}
}
