package briefing

import (
	"context"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

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
