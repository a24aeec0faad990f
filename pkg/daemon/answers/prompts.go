package answers

import (
	"cmp"
	"context"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// promptSessions bounds the newest sessions whose prompts are read.
const promptSessions = 50

// Prompts returns the last prompts of a project, the latest first.
func (a *Answers) Prompts(ctx context.Context, p daemonapi.OfProject) ([]memory.Prompt, error) {
	limit := min(max(p.Limit, 1), mostFound)
	newest := memory.LastSessions{Project: p.Project, Limit: promptSessions, Counted: true}
	sessions, err := a.Store.Sessions(ctx, newest)
	if err != nil {
		return nil, err
	}
	all := []memory.Prompt{}
	for _, one := range sessions {
		if len(all) >= limit { // sessions come the newest first
			break
		}
		if one.PromptCount == 0 {
			continue
		}
		record, err := memory.RecordOf(ctx, a.Store, one.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, record.Prompts...)
	}
	slices.SortStableFunc(all, func(x, y memory.Prompt) int {
		return cmp.Or(y.At.Compare(x.At), cmp.Compare(x.ID, y.ID))
	})
	return all[:min(len(all), limit)], nil
}
