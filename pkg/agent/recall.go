package agent

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// recallLimit bounds the hits that are packed: more than fit into any budget.
const recallLimit = 40

// Recall packs the memories that fit what is about to happen, without those that
// the session was given already.
func (a *Agent) Recall(ctx context.Context, p agentapi.RecallParams) (agentapi.ContextResult, error) {
	query, title, err := a.query(p)
	if err != nil || query == nil {
		return agentapi.ContextResult{Encoding: a.Counter.Encoding()}, err
	}
	index, err := a.index(ctx, p.Project)
	if err != nil {
		return agentapi.ContextResult{}, err
	}
	query.Near = a.near(ctx, p.Project, query.Text)
	who := listener{p.Session, p.Subagent}
	given, err := a.given(ctx, who)
	if err != nil {
		return agentapi.ContextResult{}, err
	}
	given.turn.Lock()
	defer given.turn.Unlock()
	section := recall.Section{Title: title, Share: 1}
	for _, hit := range index.Recall(*query) {
		if isAbout(*query, hit.Memory) && !given.knows(hit.Memory) {
			section.Items = append(section.Items, recall.MemoryItem(hit.Memory, a.Counter))
		}
	}
	packed := recall.PackSections([]recall.Section{section}, p.TokenBudget, a.Config.Tokens.SafetyFactor, a.Counter)
	if err := ctx.Err(); err != nil { // nobody waits for it any more, so nobody is told
		return agentapi.ContextResult{}, fmt.Errorf("recall for a %s: %w", p.Purpose, err)
	}
	a.inject(who, p.Purpose, packed.IDs)
	return agentapi.ContextResult{
		Text: packed.Text, Tokens: packed.Tokens, Encoding: a.Counter.Encoding(), Items: len(packed.IDs),
	}, nil
}

// isAbout tells whether a memory is about the very command or error that was
// asked for, if any was: what another command needs would only mislead.
func isAbout(q recall.Query, m memory.Memory) bool {
	return q.Command == "" || m.Command == q.Command || q.Signature != "" && m.Signature == q.Signature
}

// query makes a query of what is about to happen; nil means that there is
// nothing to ask.
func (a *Agent) query(p agentapi.RecallParams) (*recall.Query, string, error) {
	q := recall.Query{Session: p.Session, Now: a.Now(), Limit: recallLimit}
	switch p.Purpose {
	case agentapi.ForPrompt:
		q.Text = p.Text
		return &q, "What is remembered that may fit", nil
	case agentapi.ForRead:
		q.Files = []string{p.File}
		q.Kinds = fileKinds
		return &q, "About " + p.File, nil
	case agentapi.ForWrite:
		q.Files = []string{p.File}
		q.Kinds = ruleKinds
		return &q, "Before changing " + p.File, nil
	case agentapi.ForCommand:
		q.Command = p.Command
		q.Kinds = failureKinds
		return &q, "This command failed before", nil
	case agentapi.ForFailure:
		q.Command, q.Signature = p.Command, memory.ErrorSignature(p.Text)
		q.Kinds = []memory.Kind{memory.KindFix}
		return &q, "What made it work before", nil
	case agentapi.ForSubagent:
		task := a.subagents.take(p.Session, p.Text)
		if task == "" {
			return nil, "", nil
		}
		q.Text = task
		return &q, "What is remembered that may fit this task", nil
	}
	return nil, "", fmt.Errorf("recall for %q: there is no such purpose: %w", p.Purpose, memory.ErrInvalid)
}

// What is told of a file that is read, of a file that is changed, and of a
// command.
var (
	fileKinds = []memory.Kind{
		memory.KindNote, memory.KindDecision, memory.KindConvention, memory.KindTodo, memory.KindFix, memory.KindDiscovery,
	}
	ruleKinds    = []memory.Kind{memory.KindConvention, memory.KindDecision, memory.KindPreference}
	failureKinds = []memory.Kind{memory.KindFix, memory.KindFailure}
)

// maxIndexes bounds the projects whose memories are held for recall; the one not
// used for the longest is dropped.
const maxIndexes = 8

// loadTime bounds what loading a project may take, whoever waits for it.
const loadTime = 30 * time.Second

// indexes holds the recall indexes of the projects used lately.
type indexes struct {
	mu      sync.Mutex
	entries map[string]*projectIndex
}

type projectIndex struct {
	used time.Time

	once   sync.Mutex // held while it is loaded
	index  *recall.Index
	loaded time.Time
	puts   int // changes since then
}

// index returns the project's index, loading it first if need be.
func (a *Agent) index(ctx context.Context, project string) (*recall.Index, error) {
	// The next caller profits from a load that this one cannot wait for.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTime)
	defer cancel()
	return a.hold(ctx, project)
}

// hold returns the project's index, and loads it in the time of ctx.
func (a *Agent) hold(ctx context.Context, project string) (*recall.Index, error) {
	entry := a.indexes.entry(project, a.Now())
	entry.once.Lock()
	defer entry.once.Unlock()
	if entry.index != nil {
		return entry.index, nil
	}
	index, err := a.load(ctx, project)
	if err != nil {
		return nil, err
	}
	entry.index, entry.loaded = index, a.Now()
	return index, nil
}

// warm loads the project's index if it is not, so that the first prompt of its
// session need not wait for that.
func (a *Agent) warm(ctx context.Context, project string) {
	if _, err := a.hold(ctx, project); err != nil && ctx.Err() == nil {
		a.Log.Debug("an index could not be loaded", "project", project, "error", err)
	}
}

// indexAge is how old an index may be that others may write behind: this agent
// sees its own writes at once.
const indexAge = 5 * time.Minute

// reload loads the indexes anew that are too old, if the store is one that agents
// of other machines may write to. Whoever asks meanwhile is answered from the old
// one; a write meanwhile has the load done again.
func (a *Agent) reload(ctx context.Context) {
	if a.Config.Store.URL == "" {
		return
	}
	for project, entry := range a.indexes.all() {
		if puts, due := entry.due(a.Now()); due {
			if err := a.reloadOne(ctx, project, entry, puts); err != nil && ctx.Err() == nil {
				a.Log.Debug("an index could not be loaded anew", "project", project, "error", err)
			}
		}
	}
}

func (a *Agent) reloadOne(ctx context.Context, project string, entry *projectIndex, puts int) error {
	now := a.Now()
	index, err := a.load(ctx, project)
	if err != nil {
		return err
	}
	entry.once.Lock()
	defer entry.once.Unlock()
	if entry.puts == puts {
		entry.index, entry.loaded = index, now
	}
	return nil
}

// held is the index, or nil while it is not loaded.
func (e *projectIndex) held() *recall.Index {
	e.once.Lock()
	defer e.once.Unlock()
	return e.index
}

// due tells whether the index is too old, and which changes it has.
func (e *projectIndex) due(now time.Time) (puts int, due bool) {
	e.once.Lock()
	defer e.once.Unlock()
	return e.puts, e.index != nil && now.Sub(e.loaded) >= indexAge
}

func (a *Agent) load(ctx context.Context, project string) (*recall.Index, error) {
	entries, err := a.entries(ctx, project)
	if err != nil {
		return nil, err
	}
	index := recall.NewIndex(recall.Weights(a.Config.Recall))
	for _, e := range entries {
		index.Put(e)
	}
	return index, nil
}

// entries is what the index of a project holds, from the store.
func (a *Agent) entries(ctx context.Context, project string) ([]recall.Entry, error) {
	rows, err := a.Store.Recallable(ctx, project)
	if err != nil {
		return nil, err
	}
	entries := make([]recall.Entry, 0, len(rows))
	for _, row := range rows {
		entries = append(entries, entryOf(row))
	}
	return entries, nil
}

func entryOf(row memory.Row) recall.Entry {
	m := row.Memory
	return recall.Entry{
		Memory: m, Session: m.Session, Files: m.Files, Command: m.Command, Signature: m.Signature, SupersededBy: row.SupersededBy,
	}
}

func (x *indexes) entry(project string, now time.Time) *projectIndex {
	x.mu.Lock()
	defer x.mu.Unlock()
	entry := x.entries[project]
	if entry == nil {
		if x.entries == nil {
			x.entries = map[string]*projectIndex{}
		}
		if len(x.entries) >= maxIndexes {
			x.dropOldest()
		}
		entry = &projectIndex{}
		x.entries[project] = entry
	}
	entry.used = now
	return entry
}

func (x *indexes) all() map[string]*projectIndex {
	x.mu.Lock()
	defer x.mu.Unlock()
	return maps.Clone(x.entries)
}

// drop has the next one who needs the project's index load it anew.
func (x *indexes) drop(project string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.entries, project)
}

func (x *indexes) dropOldest() {
	oldest := ""
	for project, entry := range x.entries {
		if oldest == "" || entry.used.Before(x.entries[oldest].used) {
			oldest = project
		}
	}
	delete(x.entries, oldest)
}

// loaded returns the indexes that a memory of this project belongs into: its
// own, or all of them for a memory of the user's.
func (x *indexes) loaded(project string) []*projectIndex {
	x.mu.Lock()
	defer x.mu.Unlock()
	var all []*projectIndex
	for key, entry := range x.entries {
		if project == "" || key == project {
			all = append(all, entry)
		}
	}
	return all
}

// refresh brings what was written into the indexes that are loaded. It is read
// back from the store, which is the only truth: a write may have been merged
// with a row that was there.
func (a *Agent) refresh(ctx context.Context, written []memory.Memory) error {
	var ids []string
	for _, m := range written {
		if len(a.indexes.loaded(m.Project)) > 0 {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := a.Store.Rows(ctx, ids)
	if err != nil {
		return err
	}
	for _, row := range rows {
		for _, entry := range a.indexes.loaded(row.Memory.Project) {
			entry.put(row)
		}
	}
	return nil
}

func (e *projectIndex) put(row memory.Row) {
	e.once.Lock()
	defer e.once.Unlock()
	e.puts++
	switch {
	case e.index == nil: // the load that is to come will see it
	case row.Memory.Status == memory.StatusActive:
		e.index.Put(entryOf(row))
	default:
		e.index.Remove(row.Memory.ID)
	}
}
