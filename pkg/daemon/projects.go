package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
)

// projectStore lists, merges and purges projects. It fails with memory.ErrNotFound for an unknown project.
type projectStore interface {
	intake.AliasReader
	memory.TotalsReader
	memory.RowReader
	memory.SessionLister
	MergeProjects(ctx context.Context, from, into string) (memory.Holding, error)
	Purge(ctx context.Context, key string) (memory.Holding, error)
}

// emptier stores the waiting events. Rewrite makes a change while nothing else is stored, and then drops caches.
type emptier interface {
	Ingest(ctx context.Context) (daemonapi.IngestResult, error)
	Rewrite(ctx context.Context, change func(context.Context) error) error
}

// Projects lists, merges and purges projects.
type Projects struct {
	Store    projectStore
	Aliases  *intake.Aliases
	Intake   emptier
	Sessions *session.Sessions
	Spools   *spool.Set
	// Purged is the file that lists what was purged, for the user's other machines.
	Purged string
	Now    func() time.Time
	// Compact makes the engine rewrite its files without deleted rows; nil if it cannot.
	Compact func(ctx context.Context) error
	Log     *slog.Logger
}

// countTime is how long a list of projects waits for counts.
const countTime = 2 * time.Second

// List returns the projects with the counts that are ready in time; without counts if params.Uncounted is set. With
// params.Only it returns that project alone, however long its count takes.
func (p *Projects) List(ctx context.Context, params daemonapi.ProjectsParams) ([]memory.ProjectHolding, error) {
	all, err := p.Store.Projects(ctx)
	for i, one := range all {
		if whole := p.Aliases.Resolve(one.Key); whole != one.Key {
			all[i].MergedInto = whole
		}
	}
	if err != nil || params.Uncounted {
		return all, err
	}
	counting, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	if params.Only != "" {
		counting, all = ctx, slices.DeleteFunc(all, func(one memory.ProjectHolding) bool { return one.Key != params.Only })
	}
	for i := range all {
		totals, err := p.Store.Totals(counting, memory.Counts(all[i].Key))
		if err != nil && params.Only != "" {
			return nil, err
		}
		if err != nil { // the list is useful without counts, too
			break
		}
		all[i].Holding, all[i].CountedAt = totals.Holding(), time.Now()
	}
	return all, ctx.Err()
}

// Merge makes params.From a part of params.Into, and returns the numbers of moved rows.
func (p *Projects) Merge(ctx context.Context, params daemonapi.MergeParams) (moved memory.Holding, err error) {
	if _, err := p.Intake.Ingest(ctx); err != nil {
		return memory.Holding{}, fmt.Errorf("nothing was merged, because the waiting events could not be stored first: %w", err)
	}
	err = p.Intake.Rewrite(ctx, func(ctx context.Context) error {
		moved, err = p.Store.MergeProjects(ctx, params.From, params.Into)
		return err
	})
	if errors.Is(err, memory.ErrNotFound) && !p.Aliases.Places.IsStored(params.From) && p.Aliases.Places.IsStored(params.Into) { // From has no rows yet
		p.Aliases.Places.Alias(params.From, params.Into)
		return moved, nil
	}
	if err == nil {
		p.Aliases.Places.AddToListed(params.From, params.Into, "")
		p.Log.Info("a project was merged", "from", params.From, "into", params.Into, "memories", moved.Memories,
			"sessions", moved.Sessions)
	}
	return moved, err
}

// Purge deletes the rows of a project or of all projects, and their waiting events. It refuses a project that was
// merged into another.
func (p *Projects) Purge(ctx context.Context, params daemonapi.PurgeParams) (result daemonapi.PurgeResult, err error) {
	if params.All == (params.Key != "") {
		return result, fmt.Errorf("a purge needs either a project or all projects: %w", memory.ErrInvalid)
	}
	err = p.Intake.Rewrite(ctx, func(ctx context.Context) error {
		if _, err := p.Aliases.Learn(ctx); err != nil {
			return err
		}
		if whole := p.Aliases.Resolve(params.Key); whole != params.Key {
			return fmt.Errorf("project %s has nothing of its own since it was merged: purge %s, which it is a part of: %w", params.Key, whole, memory.ErrInvalid)
		}
		if result.Spooled, err = p.discard(params); err != nil {
			return err
		}
		if err := p.list(ctx, params.Key); err != nil {
			return err
		}
		result.Holding, err = p.remove(ctx, params.Key)
		return err
	})
	if err == nil && p.Compact != nil {
		if err = p.Compact(ctx); err != nil {
			err = fmt.Errorf("the rows are deleted, but the engine could not rewrite its files, which may still have their text; memory purge secrets makes it try again: %w", err)
		}
	}
	if err == nil {
		p.Log.Info("purged", "project", params.Key, "memories", result.Holding.Memories, "sessions", result.Holding.Sessions)
	}
	return result, err
}

// list records a purge under each key of a project, for the user's other machines. It does not if this machine has no rows of the project.
func (p *Projects) list(ctx context.Context, key string) error {
	if key == "" {
		return nil
	}
	all, err := p.List(ctx, daemonapi.ProjectsParams{Uncounted: true})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(one memory.ProjectHolding) bool { return one.Key == key }) {
		return nil
	}
	known, err := purged.Load(p.Purged)
	if err != nil {
		return err
	}
	return known.WithProjects(p.keys(all, key), p.Now().UTC()).Save(p.Purged)
}

func (p *Projects) Keys(ctx context.Context, key string) ([]string, error) {
	all, err := p.List(ctx, daemonapi.ProjectsParams{Uncounted: true})
	return p.keys(all, p.Aliases.Resolve(key)), err
}

// keys returns the keys of a project, stored or not, with those of the projects that were merged into it.
func (p *Projects) keys(all []memory.ProjectHolding, whole string) []string {
	return append(append(p.Aliases.Places.Parts(whole), whole), memory.MergedInto(whole, all)...)
}

// remove deletes the rows of a project, or of all projects if key is "", and forgets their folders.
func (p *Projects) remove(ctx context.Context, key string) (memory.Holding, error) {
	holding, err := p.Store.Purge(ctx, key)
	if err != nil {
		return holding, err
	}
	for _, part := range p.Aliases.Places.Parts(key) { // a part has no rows of its own but the project's
		if _, err := p.Store.Purge(ctx, part); err != nil && !errors.Is(err, memory.ErrNotFound) {
			return holding, err
		}
	}
	p.Aliases.Places.Forget(func(one string) bool { return key == "" || one == key })
	return holding, nil
}

// purgedElsewhere adds to a sweep the rows of projects that other machines have purged, as far as they are older than
// the purge. A session is as old as its beginning, a memory as its last statement. It returns the keys of the
// projects of which no rows are left.
func (p *Projects) purgedElsewhere(ctx context.Context, lists []*purged.List, sweep *memory.Sweep) (emptied []string, err error) {
	all, err := p.List(ctx, daemonapi.ProjectsParams{Uncounted: true})
	if err != nil {
		return nil, err
	}
	sessions, isPurged := map[string]bool{}, sweep.IsSession
	sweep.IsSession = func(id string) bool { return sessions[id] || isPurged(id) }
	for _, one := range all {
		var until time.Time
		for _, list := range lists {
			if at := list.PurgedAt(append(p.Aliases.Places.Parts(one.Key), one.Key)...); at.After(until) {
				until = at
			}
		}
		if one.MergedInto != "" || until.IsZero() { // a merged project has no rows of its own
			continue
		}
		its, err := p.Store.Sessions(ctx, memory.LastSessions{Project: one.Key, Limit: math.MaxInt32})
		if err != nil {
			return nil, err
		}
		memories, err := memory.Memories(ctx, p.Store, memory.Filter{Project: one.Key, Limit: math.MaxInt32})
		if err != nil {
			return nil, err
		}
		isLeft := false
		for _, s := range its {
			sessions[s.ID] = !s.StartedAt.After(until)
			isLeft = isLeft || !sessions[s.ID]
		}
		for _, m := range memories {
			sweep.Memories[m.ID] = sweep.Memories[m.ID] || !m.LastSeenAt.After(until)
			isLeft = isLeft || !sweep.Memories[m.ID]
			if !isPurged(m.Session) {
				sweep.Stay[m.ID] = []memory.Sighting{{Session: m.Session, At: m.LastSeenAt}} // the memory may stay without its session
			}
		}
		if !isLeft {
			emptied = append(emptied, one.Key)
		}
	}
	return emptied, nil
}

// discard deletes injections that are not stored yet, and waiting events of what is purged. It returns the number of these events.
func (p *Projects) discard(params daemonapi.PurgeParams) (int, error) {
	p.Sessions.Discard()
	isOf := func(e memory.Event) bool { return params.All || p.Aliases.Of(e) == params.Key }
	total := 0
	for _, s := range p.Spools.All() {
		n, err := s.Discard(isOf)
		total += n
		if err != nil && !p.Spools.IsRefused(s, err) {
			return total, err
		}
	}
	return total, nil
}
