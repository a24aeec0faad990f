package briefing

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// refreshIndexes applies writes to the loaded indexes. It reads the rows back from the
// store, because a write may have been merged with an existing row. If that fails, the
// indexes are reloaded.
func (b *Briefing) refreshIndexes(ctx context.Context, written []memory.Memory) {
	var ids []string
	for _, m := range written {
		if len(b.indexes.of(m.Project)) > 0 { // else no index has it
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	rows, err := b.Store.Rows(ctx, memory.WithIDs(ids))
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

// refreshStarts reads the cached starts again that a write may have changed, so that the next
// start does not wait for the query; after an error the next start reads them. In a burst of
// events this is done once, after the last commit: it costs the engine half as much as a batch.
func (b *Briefing) refreshStarts(ctx context.Context, written []memory.Memory, concluded []memory.Session, more bool) {
	stale := map[string]bool{}
	for _, m := range written {
		if m.Kind.UserAuthored() || m.IsFact() {
			stale[m.Project] = true // "" means the user's memories, which every project shows
		}
	}
	for _, s := range concluded {
		if s.State.Over() || b.starts.hasSummary(s.Project, s.ID) { // no other start has its summary
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
	b.refreshIndexes(ctx, c.Memories) // a start has its facts of the index
	b.refreshStarts(ctx, c.Memories, c.Sessions, c.More)
}

// Changed updates the indexes and starts after maintenance has changed these memories.
func (b *Briefing) Changed(ctx context.Context, ids []string) {
	rows, err := b.Store.Rows(ctx, memory.WithIDs(ids))
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
	b.refreshStarts(ctx, changed, nil, false)
}

// dropAll drops all cached data, of every project.
func (b *Briefing) dropAll() {
	b.starts.dropAll()
	b.indexes.entries.Purge()
}
