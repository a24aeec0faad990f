package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// projectStore lists projects, and merges and purges them. For an unknown project it fails with
// memory.ErrNotFound.
type projectStore interface {
	intake.AliasReader
	memory.TotalsReader
	MergeProjects(ctx context.Context, from, into string) (memory.Holding, error)
	Purge(ctx context.Context, key string) (memory.Holding, error)
}

// rewriter makes a change while nothing is stored, and makes caches of the rows be read again.
type rewriter interface {
	Rewrite(ctx context.Context, change func(context.Context) error) error
}

// emptier is a rewriter that can store the waiting events first.
type emptier interface {
	rewriter
	EmptySpools(ctx context.Context) error
}

// compacter rewrites its files without what was deleted.
type compacter interface {
	Compact(ctx context.Context) error
}

// unsaved can discard the records of sessions that are not in the store yet.
type unsaved interface{ Discard() }

// Projects merges, renames and purges projects.
type Projects struct {
	Store   projectStore
	Aliases *intake.Aliases
	Intake  emptier
	Unsaved unsaved
	Spools  *spool.Set
	Files   compacter // nil: files are not compacted after a purge
	Log     *slog.Logger

	counts counts
}

// List returns the projects with the counts that could be made in time, or without counts if params.Uncounted
// is set. With params.Only it returns that project alone, and counts it however long that takes.
func (p *Projects) List(ctx context.Context, params daemonapi.ProjectsParams) ([]memory.ProjectHolding, error) {
	all, err := p.Store.Projects(ctx)
	p.Aliases.Mark(all)
	switch {
	case err != nil || params.Uncounted:
		return all, err
	case params.Only != "":
		return p.only(ctx, all, params.Only)
	}
	p.count(ctx, all)
	return all, ctx.Err()
}

// count fills in the counts that can be made in time, and the last known ones of the other projects.
func (p *Projects) count(ctx context.Context, projects []memory.ProjectHolding) {
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	keys := make([]string, len(projects))
	for i, one := range projects {
		keys[i] = one.Key
	}
	last, _ := p.counts.of(ctx, p.Store, keys...) // the list is of use without counts, too
	for i, key := range keys {
		projects[i].Holding, projects[i].CountedAt = last[key].Holding(), last[key].at
	}
}

// only returns the project with a key and its counts, however long counting takes, or nothing if
// the project is unknown.
func (p *Projects) only(ctx context.Context, all []memory.ProjectHolding, key string) ([]memory.ProjectHolding, error) {
	at := slices.IndexFunc(all, func(one memory.ProjectHolding) bool { return one.Key == key })
	if at < 0 {
		return nil, nil
	}
	one := all[at]
	one.CountedAt = time.Now()
	totals, err := p.Store.Totals(ctx, memory.Counts(key))
	one.Holding = totals.Holding()
	return []memory.ProjectHolding{one}, err
}

// Merge makes project params.From a part of project params.Into, and returns what was moved.
func (p *Projects) Merge(ctx context.Context, params daemonapi.MergeParams) (moved memory.Holding, err error) {
	if err := p.Intake.EmptySpools(ctx); err != nil {
		return memory.Holding{}, fmt.Errorf("empty the spool before a merge: %w", err)
	}
	err = p.Intake.Rewrite(ctx, func(ctx context.Context) error {
		moved, err = p.Store.MergeProjects(ctx, params.From, params.Into)
		return err
	})
	if errors.Is(err, memory.ErrNotFound) && !p.Aliases.Places.IsStored(params.From) && p.Aliases.Places.IsStored(params.Into) { // From has no rows yet
		p.Aliases.Places.Join(params.From, params.Into)
		return moved, nil
	}
	if err == nil {
		p.Log.Info("a project was merged", "from", params.From, "into", params.Into, "memories", moved.Memories,
			"sessions", moved.Sessions)
	}
	return moved, err
}

// Purge deletes the rows of a project, or of all, and their events that wait to be stored. It refuses a merged project.
func (p *Projects) Purge(ctx context.Context, params daemonapi.PurgeParams) (result daemonapi.PurgeResult, err error) {
	if params.All == (params.Key != "") {
		return result, fmt.Errorf("purge either a project or everything: %w", memory.ErrInvalid)
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
		result.Holding, err = p.Store.Purge(ctx, params.Key) // everything if there is no key
		if err != nil {
			return err
		}
		for _, part := range p.Aliases.Places.Parts(params.Key) { // a part has at most its own row
			if _, err := p.Store.Purge(ctx, part); err != nil && !errors.Is(err, memory.ErrNotFound) {
				return err
			}
		}
		p.Aliases.Places.Forget(func(key string) bool { return params.All || key == params.Key })
		return nil
	})
	if err == nil && p.Files != nil {
		if err = p.Files.Compact(ctx); err != nil {
			err = fmt.Errorf("the rows are deleted, but the engine's own files may still hold them: %w", err)
		}
	}
	if err == nil {
		p.Log.Info("purged", "project", params.Key, "memories", result.Holding.Memories, "sessions", result.Holding.Sessions)
	}
	return result, err
}

// discard deletes what would bring the project back: the events that are not in the store yet and
// the records of injections. It returns the number of events.
func (p *Projects) discard(params daemonapi.PurgeParams) (int, error) {
	p.Unsaved.Discard()
	isOf := func(key string) bool {
		return params.All || p.Aliases.Resolve(key) == params.Key || key == params.Key
	}
	total := 0
	for _, s := range p.Spools.All() {
		n, err := s.Discard(func(e memory.Event) bool { return isOf(e.Project.Key) })
		total += n
		if err != nil && !p.Spools.IsRefused(s, err) {
			return total, err
		}
	}
	return total, nil
}
