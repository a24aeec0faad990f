package briefing

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// mostListed bounds a list, if whoever asks does not.
const mostListed = 100

// OfUser lists the active memories of the user, the most important first: those of
// no project, for which a filter cannot ask.
func (b *Briefing) OfUser(ctx context.Context, f memory.Filter) ([]memory.Memory, error) {
	rows, err := b.Store.Recallable(ctx, "")
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

// History returns a memory with what happened to it.
func (b *Briefing) History(ctx context.Context, p agentapi.HistoryParams) (agentapi.HistoryResult, error) {
	b.Sessions.Save(ctx)
	m, err := memory.Visible(ctx, b.Store, p.Project, p.ID)
	if err != nil {
		return agentapi.HistoryResult{}, err
	}
	rows, err := b.Store.Rows(ctx, []string{m.ID})
	if err != nil {
		return agentapi.HistoryResult{}, err
	}
	if len(rows) == 0 {
		return agentapi.HistoryResult{}, fmt.Errorf("memory %s is gone meanwhile: %w", p.ID, memory.ErrNotFound)
	}
	rows[0].Memory = b.count(rows[0].Memory)
	history, err := b.Store.History(ctx, m.ID)
	return agentapi.HistoryResult{Row: rows[0], History: history}, err
}
