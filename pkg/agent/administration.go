package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// aliasAge is how old what is known of merged projects may be: another agent of
// the same remote store may merge, too.
const aliasAge = time.Minute

// aliases knows which project a key means. Reading it waits for nothing.
type aliases struct {
	meant atomic.Pointer[map[string]string]

	mu sync.Mutex
	at time.Time // when they were read
}

// of is the key that is meant.
func (x *aliases) of(key string) string {
	if known := x.meant.Load(); known != nil {
		if meant, ok := (*known)[key]; ok {
			return meant
		}
	}
	return key
}

// learn reads the aliases unless they are known well enough.
func (a *Agent) learnAliases(ctx context.Context) error {
	a.aliases.mu.Lock()
	defer a.aliases.mu.Unlock()
	now := a.Now()
	if a.aliases.meant.Load() != nil && now.Sub(a.aliases.at) < aliasAge {
		return nil
	}
	read, err := a.Store.Aliases(ctx)
	if err != nil {
		return err
	}
	before := a.aliases.meant.Swap(&read)
	a.aliases.at = now
	if before != nil && !maps.Equal(*before, read) {
		a.forgetHeld()
	}
	return nil
}

// adopt gives what was captured under the key of a merged project to the project
// that is meant. A memory keeps the id that it has under its own key, so that
// the same thing captured again is the same memory. The row of the merged project
// stays its own: it says where it was seen.
func (a *Agent) adopt(b *memory.Batch) {
	for i := range b.Sessions {
		b.Sessions[i].Project = a.aliases.of(b.Sessions[i].Project)
	}
	for i := range b.Prompts {
		b.Prompts[i].Project = a.aliases.of(b.Prompts[i].Project)
	}
	for i := range b.Memories {
		b.Memories[i].Project = a.aliases.of(b.Memories[i].Project)
	}
	for i := range b.Files {
		b.Files[i].Project = a.aliases.of(b.Files[i].Project)
	}
	for i := range b.Days {
		b.Days[i].Project = a.aliases.of(b.Days[i].Project)
	}
	for i := range b.Links {
		b.Links[i].Project = a.aliases.of(b.Links[i].Project)
	}
}

// forgetHeld drops everything held of projects, to be read anew.
func (a *Agent) forgetHeld() {
	a.shelves.drop(map[string]bool{"": true})
	a.indexes.mu.Lock()
	defer a.indexes.mu.Unlock()
	clear(a.indexes.entries)
}

// rewrite is what changes the store under the agent's feet: nothing is ingested
// meanwhile, and what is held is read anew.
func rewrite[R any](ctx context.Context, a *Agent, change func(context.Context) (R, error)) (R, error) {
	a.ingesting.Lock()
	defer a.ingesting.Unlock()
	result, err := change(ctx)
	a.aliases.mu.Lock()
	a.aliases.at = time.Time{}
	a.aliases.mu.Unlock()
	if learnErr := a.learnAliases(ctx); learnErr != nil && err == nil {
		err = learnErr
	}
	a.forgetHeld()
	return result, err
}

// MergeProjects makes a project a part of another.
func (a *Agent) MergeProjects(ctx context.Context, p agentapi.MergeParams) (memory.Holding, error) {
	if _, err := a.Ingest(ctx); err != nil {
		return memory.Holding{}, fmt.Errorf("empty the spool before a merge: %w", err)
	}
	moved, err := rewrite(ctx, a, func(ctx context.Context) (memory.Holding, error) {
		return a.Store.MergeProjects(ctx, p.From, p.Into)
	})
	if err == nil {
		a.Log.Info("a project was merged", "from", p.From, "into", p.Into, "memories", moved.Memories, "sessions", moved.Sessions)
	}
	return moved, err
}

// Purge deletes what is stored of a project, or everything, and what waits to be.
func (a *Agent) Purge(ctx context.Context, p agentapi.PurgeParams) (agentapi.PurgeResult, error) {
	if p.All == (p.Key != "") {
		return agentapi.PurgeResult{}, fmt.Errorf("purge either a project or everything: %w", memory.ErrInvalid)
	}
	result, err := rewrite(ctx, a, func(ctx context.Context) (agentapi.PurgeResult, error) {
		var result agentapi.PurgeResult
		spooled, err := a.discard(p)
		if err != nil {
			return result, err
		}
		result.Spooled = spooled
		if p.All {
			result.Holding, err = a.Store.PurgeAll(ctx)
		} else {
			result.Holding, err = a.Store.PurgeProject(ctx, p.Key)
		}
		return result, err
	})
	if err == nil {
		a.Log.Info("purged", "project", p.Key, "memories", result.Holding.Memories, "sessions", result.Holding.Sessions)
	}
	return result, err
}

// forgetUnsaved drops what was told and used and is not stored yet; all of it,
// because which project it is of is known to the store alone.
func (a *Agent) forgetUnsaved() {
	a.injections.mu.Lock()
	defer a.injections.mu.Unlock()
	a.injections.unsaved, a.injections.uses = nil, nil
}

// discard deletes the events that are not in the store yet, and the injections:
// they would come back.
func (a *Agent) discard(p agentapi.PurgeParams) (int, error) {
	a.forgetUnsaved()
	total := 0
	for _, s := range a.Spools {
		n, err := s.Discard(func(e memory.Event) bool {
			return p.All || a.aliases.of(e.Project.Key) == p.Key || e.Project.Key == p.Key
		})
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// History returns a memory with what happened to it.
func (a *Agent) History(ctx context.Context, p agentapi.HistoryParams) (agentapi.HistoryResult, error) {
	a.saveInjections(ctx)
	m, err := a.own(ctx, p.Project, p.ID)
	if err != nil {
		return agentapi.HistoryResult{}, err
	}
	rows, err := a.Store.Rows(ctx, []string{m.ID})
	if err != nil {
		return agentapi.HistoryResult{}, err
	}
	if len(rows) == 0 {
		return agentapi.HistoryResult{}, fmt.Errorf("memory %s is gone meanwhile: %w", p.ID, memory.ErrNotFound)
	}
	rows[0].Memory = a.counted(rows[0].Memory)
	history, err := a.Store.History(ctx, m.ID)
	return agentapi.HistoryResult{Row: rows[0], History: history}, err
}

// mostListed bounds a list, if whoever asks does not.
const mostListed = 100

// Users lists the active memories of the user, the most important first: those of
// no project, for which a filter cannot ask.
func (a *Agent) Users(ctx context.Context, f memory.Filter) ([]memory.Memory, error) {
	rows, err := a.Store.Recallable(ctx, "")
	if err != nil {
		return nil, err
	}
	known, all := map[string]bool{}, []memory.Memory{}
	for _, row := range rows {
		m := row.Memory
		if known[m.ID] || len(f.Kinds) > 0 && !slices.Contains(f.Kinds, m.Kind) {
			continue
		}
		known[m.ID] = true
		all = append(all, m)
	}
	return memory.Best(all, cmp.Or(f.Limit, mostListed)), nil
}

// withAdministration adds what people steer the store by, and has every method
// take the key of a merged project for the one that is meant.
func (s *Service) withAdministration(handlers map[string]agentapi.Handler) map[string]agentapi.Handler {
	a := s.Agent
	handlers[agentapi.MethodSessions] = agentapi.Handle(soon(s, func(ctx context.Context, p agentapi.SessionsParams) ([]memory.Session, error) {
		return a.Store.Sessions(ctx, p.Project, p.Limit)
	}))
	handlers[agentapi.MethodProjects] = agentapi.Handle(soon(s, func(ctx context.Context, _ nothing) ([]memory.ProjectHolding, error) {
		return a.Store.Projects(ctx)
	}))
	handlers[agentapi.MethodRenameProject] = agentapi.Handle(soon(s, func(ctx context.Context, p agentapi.RenameParams) (nothing, error) {
		return nothing{}, a.Store.RenameProject(ctx, p.Key, p.Name)
	}))
	handlers[agentapi.MethodMergeProjects] = agentapi.Handle(soon(s, a.MergeProjects))
	handlers[agentapi.MethodPurge] = agentapi.Handle(soon(s, a.Purge))
	handlers[agentapi.MethodUsers] = agentapi.Handle(soon(s, a.Users))
	handlers[agentapi.MethodHistory] = agentapi.Handle(soon(s, a.History))
	for method, handler := range handlers {
		handlers[method] = a.meaning(handler)
	}
	return handlers
}

// meaning makes a handler that gets the key of the project that is meant.
func (a *Agent) meaning(handler agentapi.Handler) agentapi.Handler {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		if known := a.aliases.meant.Load(); known == nil || len(*known) == 0 {
			return handler(ctx, raw)
		}
		return handler(ctx, a.translated(raw))
	}
}

// translated replaces the key in parameters that have one. Those that cannot be
// read are the handler's to refuse.
func (a *Agent) translated(raw json.RawMessage) json.RawMessage {
	var params map[string]json.RawMessage
	if json.Unmarshal(raw, &params) != nil {
		return raw
	}
	for _, name := range []string{"project", "Project"} { // Project in a memory.Filter or SearchQuery
		var key string
		if json.Unmarshal(params[name], &key) != nil || a.aliases.of(key) == key {
			continue
		}
		params[name], _ = json.Marshal(a.aliases.of(key)) // a string can be written always
		if next, err := json.Marshal(params); err == nil {
			return next
		}
	}
	return raw
}
