package briefing

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// errLoading means that the index is not loaded in the time that the caller has.
var errLoading = errors.New("the memories of the project are still being loaded, try again in a moment")

// Index returns the project's index. If it is not loaded, the caller waits for it within ctx, and the load goes on
// for the next caller. A caller with a deadline gets errLoading at once from a load that has lasted long already: its
// hook would wait in vain.
func (b *Briefing) Index(ctx context.Context, project string) (*recall.Index, error) {
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

// load reads an index and ends the load. A panic becomes the load's error, because no handler catches it.
func (b *Briefing) load(ctx context.Context, project string, entry *projectIndex, l *load) {
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	began := b.Now()
	defer func() {
		if cause := recover(); cause != nil {
			b.Log.Error("loading an index panicked", "project", project, "cause", cause, "stack", string(debug.Stack()))
			entry.finish(l, fmt.Errorf("loading the memories of %q panicked, which is a bug: %v", project, cause), began)
		}
	}()
	entry.finish(l, b.fill(ctx, project, l.index), began)
}

// Reload reloads indexes that are too old, if daemons of other machines may write to the store.
func (b *Briefing) Reload(ctx context.Context) {
	if !b.Shared {
		return
	}
	for project, entry := range b.indexes.all() {
		b.reload(ctx, project, entry, indexAge)
	}
}

// reload reads an index again if it is older than age. Queries use the old index meanwhile.
func (b *Briefing) reload(ctx context.Context, project string, entry *projectIndex, age time.Duration) {
	l, due := entry.reload(b.Now(), age)
	if !due {
		return
	}
	began := b.Now()
	err := b.fill(ctx, project, l.index)
	if err != nil && ctx.Err() == nil {
		b.Log.Debug("an index could not be reloaded", "project", project, "error", err)
	}
	entry.finish(l, err, began)
}

// pageRows is the number of rows that are read at once, so that neither the engine nor the daemon holds more.
const pageRows = 1000

// fill reads the memories of a project into an index.
func (b *Briefing) fill(ctx context.Context, project string, index *recall.Index) error {
	return memory.EachRecallable(ctx, b.Store, project, pageRows, func(rows []memory.Row) error {
		for _, row := range rows {
			index.Put(entryOf(row))
		}
		return ctx.Err()
	})
}
