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

// errLoading means that the index was not loaded within the caller's time.
var errLoading = errors.New("the memories of the project are still being loaded, try again in a moment")

// Index returns the project's index. It waits until the index is loaded, or fails when ctx ends; then loading continues.
func (b *Briefing) Index(ctx context.Context, project string) (*recall.Index, error) {
	entry := b.indexes.entry(project)
	index, l, begins := entry.indexOrLoad()
	if index != nil {
		return index, nil
	}
	if begins {
		go b.load(context.WithoutCancel(ctx), project, entry, l)
	}
	select {
	case <-l.done:
		return l.index, l.err
	case <-ctx.Done():
		if err := ctx.Err(); errors.Is(err, context.Canceled) {
			return nil, err // the caller has given up
		}
		return nil, fmt.Errorf("%w: %w", errLoading, ctx.Err())
	}
}

// load reads an index and ends the load. It turns a panic into the load's error.
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

// Reload reads indexes again that are too old, if daemons of other machines may write to the store.
func (b *Briefing) Reload(ctx context.Context) {
	if !b.Shared {
		return
	}
	for project, entry := range b.indexes.all() {
		b.reload(ctx, project, entry, indexAge)
	}
}

// reload reads an index again if it is older than age. Queries meanwhile use the old one.
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

func (b *Briefing) fill(ctx context.Context, project string, index *recall.Index) error {
	return memory.EachRecallable(ctx, b.Store, project, memory.PageRows, func(rows []memory.Row) error {
		for _, row := range rows {
			index.Put(entryOf(row))
		}
		return ctx.Err()
	})
}
