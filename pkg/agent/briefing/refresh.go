package briefing

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// refreshIndexes brings what was written into the indexes that are loaded. It is
// read back from the store, which is the only truth: a write may have been merged
// with a row that was there. If it cannot be, they are reloaded.
func (b *Briefing) refreshIndexes(ctx context.Context, written []memory.Memory) {
	var ids []string
	for _, m := range written {
		if len(b.indexes.of(m.Project)) > 0 {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	rows, err := b.Store.Rows(ctx, ids)
	if err != nil {
		b.Log.Warn("recall does not see what was written, it is reloaded", "error", err)
		b.indexes.entries.Purge()
		return
	}
	for _, row := range rows {
		for _, entry := range b.indexes.of(row.Memory.Project) {
			entry.put(row)
		}
	}
}

// refreshStarts reads again what a write may have changed, for the projects that
// are held: the next start should not have to wait for it. An error only costs
// that.
func (b *Briefing) refreshStarts(ctx context.Context, written []memory.Memory, concluded []memory.Session) {
	stale := map[string]bool{}
	for _, m := range written {
		if m.Kind.UserAuthored() || m.IsConclusion() {
			stale[m.Project] = true // "" is the user's, which every project is given
		}
	}
	for _, s := range concluded {
		stale[s.Project] = true
	}
	if len(stale) == 0 {
		return
	}
	for _, project := range b.starts.drop(func(project string) bool { return stale[project] || stale[""] }) {
		_, _, writes := b.starts.get(project)
		if _, err := b.fillStart(ctx, project, writes); err != nil {
			b.Log.Debug("what a session starts with could not be read", "project", project, "error", err)
		}
	}
}

// Committed has what is held show what was committed.
func (b *Briefing) Committed(ctx context.Context, c intake.Committed) {
	if c.All {
		b.dropAll()
	}
	b.refreshStarts(ctx, c.Memories, c.Sessions)
	b.refreshIndexes(ctx, c.Memories)
}

// Changed has what is held show what maintenance changed.
func (b *Briefing) Changed(ctx context.Context, ids []string) {
	rows, err := b.Store.Rows(ctx, ids)
	if err != nil {
		b.Log.Warn("recall does not see what maintenance changed, it is reloaded", "error", err)
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
	b.refreshStarts(ctx, changed, nil)
}

// dropAll forgets everything held of projects, to be read again.
func (b *Briefing) dropAll() {
	b.starts.drop(func(string) bool { return true })
	b.indexes.entries.Purge()
}
