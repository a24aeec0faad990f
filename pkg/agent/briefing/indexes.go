package briefing

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/facts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/shell"
)

const (
	// maxIndexes bounds the number of loaded projects.
	maxIndexes = 8
	// loadTime bounds the loading of a project. Each page has its own, shorter time; this
	// one ends a load of a store that is very slow.
	loadTime = 5 * time.Minute
	// longLoad is the time after which those in a hurry do not wait for a load.
	longLoad = time.Second
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
	mu      sync.Mutex // never held while the store is read
	index   *Index
	loaded  time.Time // when its load began
	loading *load     // nil: none

	calibrating sync.Mutex // held while it is calibrated
}

// load is the loading of an index. Memories written meanwhile may be missing in the pages
// that were read before, so they are put into the index at the end.
type load struct {
	began   time.Time
	done    chan struct{}          // closed at the end, when index or err is set
	changed map[string]*memory.Row // by id; nil: removed
	index   *Index
	err     error
}

func newLoad() *load {
	return &load{began: time.Now(), done: make(chan struct{}), changed: map[string]*memory.Row{}}
}

// isLong tells whether the load has lasted much longer than that of most projects, and
// than a hook waits.
func (l *load) isLong() bool {
	select {
	case <-l.done:
		return false
	default:
		return time.Since(l.began) > longLoad
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
		if of := row.Memory.Project; of == "" || of == project || memory.PublicKey(of) == project {
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
func (e *projectIndex) held() *Index {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.index
}

// indexOrLoad is the index, or its load, which the caller is to begin if nobody has.
func (e *projectIndex) indexOrLoad() (held *Index, l *load, begins bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.index == nil && e.loading == nil {
		e.loading, begins = newLoad(), true
	}
	return e.index, e.loading, begins
}

// reload is a load for the caller to begin, if the index is too old.
func (e *projectIndex) reload(now time.Time) (l *load, due bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.index == nil || e.loading != nil || now.Sub(e.loaded) < indexAge {
		return nil, false
	}
	e.loading = newLoad()
	return e.loading, true
}

// finish ends a load that began then. After an error the next caller loads again.
func (e *projectIndex) finish(l *load, index *Index, err error, began time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer close(l.done)
	e.loading = nil
	if l.err = err; err != nil {
		return
	}
	for id, row := range l.changed {
		index.change(id, row)
	}
	l.index, e.index, e.loaded = index, index, began
}

func (e *projectIndex) put(row memory.Row) { e.change(row.Memory.ID, &row) }

func (e *projectIndex) remove(id string) { e.change(id, nil) }

// change applies a write. An index that is not loaded and not being loaded will have it
// from the store.
func (e *projectIndex) change(id string, row *memory.Row) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.loading != nil {
		e.loading.changed[id] = row
	}
	if e.index != nil {
		e.index.change(id, row)
	}
}

// Index holds all recallable memories of a project, and its facts once more: these are
// ranked by themselves for prompts.
type Index struct {
	*recall.Index
	Facts *facts.Index
}

func newIndex(w recall.Weights) *Index {
	return &Index{recall.NewIndex(w), facts.New(facts.DefaultWeights())}
}

// put adds a row or replaces it. A superseded fact is told to nobody.
func (x *Index) put(row memory.Row) {
	x.Put(entryOf(row))
	if row.Memory.IsModelWritten() && row.SupersededBy == "" {
		x.Facts.Put(row.Memory)
	} else {
		x.Facts.Remove(row.Memory.ID)
	}
}

// change puts a row or, if recall does not return it, removes it.
func (x *Index) change(id string, row *memory.Row) {
	if row != nil && row.Memory.Recallable() {
		x.put(*row)
		return
	}
	x.Remove(id)
	x.Facts.Remove(id)
}

func entryOf(row memory.Row) recall.Entry {
	m := row.Memory
	return recall.Entry{
		Memory: m, Session: m.Session, Files: m.Files, Command: shell.Core(m.Command), Signature: m.Signature, SupersededBy: row.SupersededBy,
	}
}

// errLoading: the index is not loaded in the time that the caller has.
var errLoading = errors.New("the memories of the project are still being loaded, try again in a moment")

// Index returns the project's index. If it is not loaded, the caller waits for it within
// ctx, and the load goes on for the next caller. A caller with a deadline does not wait for
// a load that has lasted long already: a hook would be slow, for nothing.
func (b *Briefing) Index(ctx context.Context, project string) (*Index, error) {
	entry := b.indexes.entry(project)
	index, l, begins := entry.indexOrLoad()
	if index != nil {
		return index, nil
	}
	if begins {
		go b.load(context.WithoutCancel(ctx), project, entry, l)
	}
	if _, hurries := ctx.Deadline(); hurries && l.isLong() {
		return nil, errLoading
	}
	select {
	case <-l.done:
		return l.index, l.err
	case <-ctx.Done():
		if err := ctx.Err(); errors.Is(err, context.Canceled) {
			return nil, err // the caller has gone
		}
		return nil, fmt.Errorf("%w: %w", errLoading, ctx.Err())
	}
}

// load reads an index and ends the load. A panic becomes an error: no handler catches it.
func (b *Briefing) load(ctx context.Context, project string, entry *projectIndex, l *load) {
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	began := b.Now()
	defer func() {
		if cause := recover(); cause != nil {
			b.Log.Error("loading an index panicked", "project", project, "cause", cause, "stack", string(debug.Stack()))
			entry.finish(l, nil, fmt.Errorf("loading the memories of %q panicked, which is a bug: %v", project, cause), began)
		}
	}()
	index, err := b.readIndex(ctx, project)
	entry.finish(l, index, err, began)
}

// Warm loads the project's index if it is not loaded, so that the first prompt of a
// session does not wait, and calibrates it if due.
func (b *Briefing) Warm(ctx context.Context, project string) {
	index, err := b.Index(ctx, project)
	if err != nil {
		if ctx.Err() == nil {
			b.Log.Debug("an index could not be loaded", "project", project, "error", err)
		}
		return
	}
	entry := b.indexes.entry(project)
	if entry.calibrating.TryLock() { // else another call calibrates it
		defer entry.calibrating.Unlock()
		calibrate(index.Index)
	}
}

// calibrate calibrates an index that is not calibrated or has changed too much. It
// takes up to a second; the index answers meanwhile.
func calibrate(index *recall.Index) {
	if !index.Calibrated() {
		index.Calibrate(index.SamplePrompts())
	}
}

// Reload reloads indexes that are too old, if agents of other machines may write to the
// store. Queries meanwhile use the old index.
func (b *Briefing) Reload(ctx context.Context) {
	if !b.Shared {
		return
	}
	for project, entry := range b.indexes.all() {
		l, due := entry.reload(b.Now())
		if !due {
			continue
		}
		began := b.Now()
		index, err := b.readIndex(ctx, project)
		if err == nil {
			calibrate(index.Index)
		} else if ctx.Err() == nil {
			b.Log.Debug("an index could not be reloaded", "project", project, "error", err)
		}
		entry.finish(l, index, err, began)
	}
}

func (b *Briefing) readIndex(ctx context.Context, project string) (*Index, error) {
	index := newIndex(b.Weights)
	return index, b.eachRow(ctx, project, index.put)
}

// pageRows is how many rows are read at once: the engine and the agent hold no more of
// them.
const pageRows = 1000

// eachRow reads the rows for the index of a project.
func (b *Briefing) eachRow(ctx context.Context, project string, put func(memory.Row)) error {
	once := shared{}
	return b.Store.Recallable(ctx, project, pageRows, func(rows []memory.Row) error {
		for _, row := range rows {
			once.share(&row.Memory)
			put(row)
		}
		return ctx.Err()
	})
}

// shared holds the texts that many rows of a project have, each once: decoded, each row
// has its own.
type shared map[string]string

func (s shared) share(m *memory.Memory) {
	share(s, &m.Project)
	share(s, &m.Scope)
	share(s, &m.Type)
	share(s, &m.Kind)
	share(s, &m.Status)
	share(s, &m.Source)
	share(s, &m.Session)
	share(s, &m.TokenEncoding)
	for i := range m.Files {
		share(s, &m.Files[i])
	}
}

func share[T ~string](s shared, text *T) {
	one, known := s[string(*text)]
	if !known {
		one = string(*text)
		s[one] = one
	}
	*text = T(one)
}

// Entries are those that the index of a project has, if it is read now.
func (b *Briefing) Entries(ctx context.Context, project string) ([]recall.Entry, error) {
	var entries []recall.Entry
	err := b.eachRow(ctx, project, func(row memory.Row) { entries = append(entries, entryOf(row)) })
	return entries, err
}

// Drop has the index of a project read again when it is needed.
func (b *Briefing) Drop(project string) { b.indexes.entries.Remove(project) }

// refreshIndexes applies writes to the loaded indexes. It reads the rows back from the
// store, because a write may have been merged with an existing row. If that fails, the
// indexes are reloaded.
func (b *Briefing) refreshIndexes(ctx context.Context, written []memory.Memory) {
	var ids []string
	for _, m := range written {
		if m.Kind.Searchable() && len(b.indexes.of(m.Project)) > 0 { // else no index has it
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	rows, err := b.Store.Rows(ctx, ids)
	if err != nil {
		b.Log.Warn("recall does not see written memories, it is reloaded", "error", err)
		b.indexes.entries.Purge()
		return
	}
	for _, row := range rows {
		for _, entry := range b.indexes.of(row.Memory.Project) {
			entry.put(row)
		}
	}
}

// refreshStarts reads the cached starts that a write may have changed again, so that
// the next start does not wait for it. After an error the next start reads it. In a
// burst that is done once, after its last commit: it takes the engine as long as half a
// batch.
func (b *Briefing) refreshStarts(ctx context.Context, written []memory.Memory, concluded []memory.Session, more bool) {
	stale := map[string]bool{}
	for _, m := range written {
		if m.Kind.UserAuthored() || m.IsConclusion() || m.IsModelWritten() {
			stale[m.Project] = true // "" means the user's memories, which every project shows
		}
	}
	for _, s := range concluded {
		if s.State.Over() || b.starts.tells(s.Project, s.ID) { // else no start had or gets its summary
			stale[s.Project] = true
		}
	}
	if len(stale) > 0 {
		b.starts.drop(func(project string) bool { return stale[project] || stale[""] })
	}
	if more {
		return
	}
	for _, project := range b.starts.due() {
		_, _, writes := b.starts.get(project)
		if _, err := b.fillStart(ctx, project, writes); err != nil {
			b.Log.Debug("a session's start could not be read", "project", project, "error", err)
		}
	}
}

// Committed updates the indexes and starts with a commit.
func (b *Briefing) Committed(ctx context.Context, c intake.Committed) {
	if c.All {
		b.dropAll()
	}
	b.refreshVerdicts(c.Memories)
	b.refreshStarts(ctx, c.Memories, c.Sessions, c.More)
	b.refreshIndexes(ctx, c.Memories)
}

// Changed updates the indexes and starts with changes by maintenance.
func (b *Briefing) Changed(ctx context.Context, ids []string) {
	rows, err := b.Store.Rows(ctx, ids)
	if err != nil {
		b.Log.Warn("recall does not see maintenance's changes, it is reloaded", "error", err)
		b.dropAll()
		return
	}
	there := make(map[string]bool, len(rows))
	changed := make([]memory.Memory, 0, len(rows))
	for _, row := range rows {
		there[row.Memory.ID] = true
		changed = append(changed, row.Memory)
		b.indexes.move(row)
	}
	for _, id := range ids {
		if !there[id] {
			b.indexes.remove(id)
		}
	}
	b.refreshVerdicts(changed)
	b.refreshStarts(ctx, changed, nil, false)
}

// dropAll drops all cached data of projects, to be read again.
func (b *Briefing) dropAll() {
	b.starts.dropAll()
	b.indexes.entries.Purge()
	b.forgetVerdicts()
}
