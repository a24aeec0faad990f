package briefing

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

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
