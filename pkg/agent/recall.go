package agent

import (
	"context"
	"fmt"
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
	once  sync.Mutex // held while it is loaded
	index *recall.Index
	used  time.Time
}

// index returns the project's index, loading it first if need be.
func (a *Agent) index(ctx context.Context, project string) (*recall.Index, error) {
	entry := a.indexes.entry(project, a.Now())
	entry.once.Lock()
	defer entry.once.Unlock()
	if entry.index != nil {
		return entry.index, nil
	}
	// The next caller profits from a load that this one cannot wait for.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTime)
	defer cancel()
	memories, err := a.Store.Recallable(ctx, project)
	if err != nil {
		return nil, err
	}
	index := recall.NewIndex(recall.DefaultWeights())
	for _, m := range memories {
		index.Put(entryOf(m))
	}
	entry.index = index
	return index, nil
}

func entryOf(m memory.Memory) recall.Entry {
	return recall.Entry{Memory: m, Session: m.Session, Files: m.Files, Command: m.Command, Signature: m.Signature}
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
	memories, err := a.Store.MemoriesByID(ctx, ids)
	if err != nil {
		return err
	}
	for _, m := range memories {
		for _, entry := range a.indexes.loaded(m.Project) {
			entry.put(m)
		}
	}
	return nil
}

func (e *projectIndex) put(m memory.Memory) {
	e.once.Lock()
	defer e.once.Unlock()
	switch {
	case e.index == nil: // the load that is to come will see it
	case m.Status == memory.StatusActive:
		e.index.Put(entryOf(m))
	default:
		e.index.Remove(m.ID)
	}
}
