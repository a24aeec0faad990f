package answers

import (
	"cmp"
	"context"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// mostOfAPage bounds the rows that are read from the store at once.
const mostOfAPage = 500

// listStored lists the memories that are not in the index, the latest first, from where
// the page before ended. It reads on until the page is full, or through mostListedThrough
// rows.
func (a *Answers) listStored(ctx context.Context, p agentapi.ListParams, session string) (agentapi.ListResult, error) {
	result := agentapi.ListResult{Memories: []memory.Memory{}}
	limit := min(max(p.Limit, 1), mostFound)
	after, looked := p.After, 0
	for rows := limit; looked < mostListedThrough; rows = mostOfAPage {
		page, more, err := a.page(ctx, p.Project, cmp.Or(p.Status, memory.StatusActive), after, rows)
		if err != nil {
			return result, err
		}
		for i, one := range page {
			after = one.Order
			if session != "" && one.Memory.Session != session || !isListed(p, one.Memory) {
				continue
			}
			result.Memories = append(result.Memories, a.Briefing.Count(one.Memory))
			if len(result.Memories) == limit {
				if more || i < len(page)-1 {
					result.Next = after
				}
				return result, nil
			}
		}
		if !more {
			return result, nil
		}
		looked += len(page)
	}
	result.Next = after
	return result, nil
}

// page is a page of the memories of a project and of the user, and whether there are
// more.
func (a *Answers) page(ctx context.Context, project string, status memory.Status, after string, limit int) ([]memory.Paged, bool, error) {
	var all []memory.Paged
	more := false
	for _, owner := range slices.Compact([]string{project, ""}) {
		found, err := a.Store.Page(ctx, memory.PageQuery{Project: owner, Status: status, After: after, Limit: limit})
		if err != nil {
			return nil, false, err
		}
		all, more = append(all, found...), more || len(found) == limit
	}
	slices.SortFunc(all, func(x, y memory.Paged) int { return cmp.Compare(x.Order, y.Order) })
	return all[:min(limit, len(all))], more || len(all) > limit, nil
}

// latest are the memories of a project and of the user with a status that are of one of
// the kinds, of the latest mostListedThrough; all kinds if there are none.
func (a *Answers) latest(ctx context.Context, project string, status memory.Status, kinds []memory.Kind) ([]memory.Memory, error) {
	var all []memory.Memory
	after := ""
	for range mostListedThrough / mostOfAPage {
		page, more, err := a.page(ctx, project, status, after, mostOfAPage)
		if err != nil {
			return nil, err
		}
		for _, one := range page {
			after = one.Order
			if len(kinds) == 0 || slices.Contains(kinds, one.Memory.Kind) {
				all = append(all, one.Memory)
			}
		}
		if !more {
			break
		}
	}
	return all, nil
}
