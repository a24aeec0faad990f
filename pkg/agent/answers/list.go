package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// History returns a memory with its events.
func (a *Answers) History(ctx context.Context, p agentapi.HistoryParams) (agentapi.HistoryResult, error) {
	a.Sessions.Save(ctx)
	m, err := memory.Visible(ctx, a.Store, p.Project, p.ID)
	if err != nil {
		return agentapi.HistoryResult{}, err
	}
	rows, err := a.Store.Rows(ctx, []string{m.ID})
	if err != nil {
		return agentapi.HistoryResult{}, err
	}
	if len(rows) == 0 {
		return agentapi.HistoryResult{}, fmt.Errorf("memory %s is gone meanwhile: %w", p.ID, memory.ErrNotFound)
	}
	rows[0].Memory = a.Briefing.Count(rows[0].Memory)
	history, err := a.Store.History(ctx, m.ID)
	return agentapi.HistoryResult{Row: rows[0], History: history}, err
}

// List returns memories by their properties.
func (a *Answers) List(ctx context.Context, p agentapi.ListParams) (agentapi.ListResult, error) {
	result, session := agentapi.ListResult{Memories: []memory.Memory{}}, ""
	if p.LastSession {
		start, err := a.Briefing.StartOf(ctx, p.Project, p.Session)
		if err != nil || len(start.Summaries) == 0 {
			return result, err
		}
		session, result.Summary = start.Summaries[0].ID, start.Summaries[0].Summary.Text
		record, err := a.Store.SessionRecord(ctx, session)
		if err != nil && !errors.Is(err, memory.ErrNotFound) { // purged meanwhile
			return result, err
		}
		result.Digest = record.Session.Summary.Digest
	}
	order := orders[p.Order]
	if order == nil {
		return result, fmt.Errorf("there is no order %q: %w", p.Order, memory.ErrInvalid)
	}
	if !isIndexed(p) {
		stored, err := a.listStored(ctx, p, session)
		stored.Summary, stored.Digest = result.Summary, result.Digest
		if p.LastSession { // oldest first
			slices.Reverse(stored.Memories)
		}
		return stored, err
	}
	index, err := a.Briefing.Index(ctx, p.Project)
	if err != nil {
		return result, err
	}
	all := slices.DeleteFunc(index.Memories(), func(m memory.Memory) bool { return session != "" && m.Session != session || !isListed(p, m) })
	slices.SortFunc(all, func(x, y memory.Memory) int { return cmp.Or(order(x, y), cmp.Compare(x.ID, y.ID)) })
	all = all[min(max(p.Skip, 0), len(all)):]
	limit := min(max(p.Limit, 1), mostFound, len(all))
	result.Left = len(all) - limit
	for _, m := range all[:limit] {
		result.Memories = append(result.Memories, a.Briefing.Count(m))
	}
	if p.LastSession { // oldest first
		slices.Reverse(result.Memories)
	}
	return result, nil
}

// orders compare memories by the name of the order.
var orders = map[string]func(x, y memory.Memory) int{
	"":                   latestFirst,
	agentapi.OrderLatest: latestFirst,
	agentapi.OrderOldest: func(x, y memory.Memory) int { return latestFirst(y, x) },
	agentapi.OrderImportance: func(x, y memory.Memory) int {
		return cmp.Or(cmp.Compare(y.Importance, x.Importance), latestFirst(x, y))
	},
	agentapi.OrderTokens: func(x, y memory.Memory) int {
		return cmp.Or(cmp.Compare(y.TokenCount, x.TokenCount), latestFirst(x, y))
	},
}

func latestFirst(x, y memory.Memory) int { return y.LastSeenAt.Compare(x.LastSeenAt) }

// isIndexed says whether the index holds all memories of the requested status and kinds.
func isIndexed(p agentapi.ListParams) bool {
	isRecord := func(k memory.Kind) bool { return !k.Searchable() || k == memory.KindFailure }
	return cmp.Or(p.Status, memory.StatusActive) == memory.StatusActive && !slices.ContainsFunc(p.Kinds, isRecord)
}

// ofProjectAndUser are the memories of a project and those of the user.
func (a *Answers) ofProjectAndUser(ctx context.Context, filter memory.Filter) ([]memory.Memory, error) {
	ofProject, err := a.Store.Memories(ctx, filter)
	if err != nil {
		return nil, err
	}
	filter.Project, filter.Scope = "", memory.ScopeUser
	ofUser, err := a.Store.Memories(ctx, filter)
	return slices.Concat(ofProject, ofUser), err
}
