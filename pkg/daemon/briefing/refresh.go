package briefing

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// refreshIndexes applies changes of memories to the loaded indexes. It reads the rows from the store, because a write
// may have been merged with an existing row. If that fails, it drops the indexes.
func (b *Briefing) refreshIndexes(ctx context.Context, ids []string) {
	if len(ids) == 0 {
		return
	}
	rows, err := b.Store.Rows(ctx, memory.WithIDs(ids))
	if err != nil {
		b.Log.Warn("recall may miss changes; its index is loaded again", "error", err)
		b.indexes.entries.Purge()
		return
	}
	there := make(map[string]*memory.Row, len(rows))
	for _, row := range rows {
		there[row.Memory.ID] = &row
	}
	for _, id := range ids {
		b.indexes.change(id, there[id])
	}
}

// refreshStarts rebuilds the starts that a write has changed, so that the next session does not wait. After an error the
// next session builds its own.
func (b *Briefing) refreshStarts(ctx context.Context, concluded []memory.Session) {
	all := b.indexes.all()
	for _, s := range concluded {
		if entry := all[s.Project]; entry != nil {
			entry.conclude(s)
		}
	}
	for project, entry := range all {
		if cached := entry.cachedOpening(); cached.after == 0 || cached.after == cached.changes { // nobody has asked for it, or nothing has changed
			continue
		}
		held, err := b.opening(ctx, project)
		if err != nil {
			b.Log.Debug("a session's start could not be read", "project", project, "error", err)
			continue
		}
		rows := held.rows
		rows.Asks = true // as for a session with a person
		b.packed(held, rows, b.Hooks().SessionStartTokens)
	}
}

// Committed updates the indexes and the cached starts of sessions after a commit.
func (b *Briefing) Committed(ctx context.Context, c intake.Committed) {
	if c.All {
		b.indexes.entries.Purge()
	}
	var ids []string
	all := b.indexes.all()
	for _, m := range c.Memories {
		if all[m.Project] != nil || m.Project == "" && len(all) > 0 { // otherwise no index has it
			ids = append(ids, m.ID)
		}
	}
	b.refreshIndexes(ctx, ids)
	b.refreshStarts(ctx, c.Sessions)
}

// Changed updates the indexes and the cached starts of sessions after maintenance has changed these memories.
func (b *Briefing) Changed(ctx context.Context, ids []string) {
	b.refreshIndexes(ctx, ids)
	b.refreshStarts(ctx, nil)
}
