package briefing

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// index returns the project's index, loading it first if needed.
func (b *Briefing) index(ctx context.Context, project string) (*recall.Index, error) {
	// The next caller uses a load that outlives this caller.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTime)
	defer cancel()
	return b.loadIndex(ctx, project)
}

// loadIndex returns the project's index, and loads it within ctx.
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

// Warm loads the project's index if it is not loaded, so that the first prompt of a
// session does not wait, and calibrates it if due.
func (b *Briefing) Warm(ctx context.Context, project string) {
	index, err := b.loadIndex(ctx, project)
	if err != nil {
		if ctx.Err() == nil {
			b.Log.Debug("an index could not be loaded", "project", project, "error", err)
		}
		return
	}
	entry := b.indexes.entry(project)
	if entry.calibrating.TryLock() { // else another call calibrates it
		defer entry.calibrating.Unlock()
		calibrate(index)
	}
}

// calibrate calibrates an index that is not calibrated or has changed too much. It
// takes up to a second; the index answers meanwhile.
func calibrate(index *recall.Index) {
	if !index.Calibrated() {
		index.Calibrate(recall.SamplePrompts(index.Memories()))
	}
}

// Reload reloads indexes that are too old, if agents of other machines may write to the
// store. Queries meanwhile use the old index; a write meanwhile makes the load run
// again.
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

// readEntries reads the entries for the index of a project.
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
