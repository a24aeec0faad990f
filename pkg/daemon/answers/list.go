package answers

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

const (
	// mostFound is the maximum number of memories in an answer.
	mostFound = 100
	// mostStored is the maximum number of memories read from the store. The active ones are in the index, and not read.
	mostStored = 1000
)

func isListed(p daemonapi.ListParams, m memory.Memory) bool {
	isOf := func(file string) bool {
		return file == p.File || strings.HasPrefix(file, strings.TrimSuffix(p.File, "/")+"/")
	}
	switch {
	case len(p.Kinds) > 0 && !slices.Contains(p.Kinds, m.Kind),
		p.Tag != "" && !m.HasTag(p.Tag),
		p.Scope != "" && m.Scope != p.Scope,
		p.File != "" && !slices.ContainsFunc(m.Files, isOf):
		return false
	}
	return true
}

// stored returns the latest mostStored memories of a project and of the user that have a status.
func (a *Answers) stored(ctx context.Context, project string, status memory.Status) ([]memory.Memory, error) {
	var rows []memory.Row
	for _, owner := range slices.Compact([]string{project, ""}) {
		found, err := a.Store.Rows(ctx, memory.Page{Project: owner, Status: status, Limit: mostStored})
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	slices.SortFunc(rows, func(x, y memory.Row) int { return cmp.Compare(memory.PageOrder(x), memory.PageOrder(y)) })
	return memory.Each(rows[:min(mostStored, len(rows))], func(row memory.Row) memory.Memory { return row.Memory }), nil
}

// corrected maps the ids of superseded memories to the ids of the memories that superseded them.
func (a *Answers) corrected(ctx context.Context, ids []string) (map[string]string, error) {
	by := map[string]string{}
	rows, err := a.Store.Rows(ctx, memory.WithIDs(ids))
	for _, row := range rows {
		if row.SupersededBy != "" {
			by[row.Memory.ID] = row.SupersededBy
		}
	}
	return by, err
}

// List returns the memories with the requested properties, the latest first: of those that are not active, the latest mostStored.
func (a *Answers) List(ctx context.Context, p daemonapi.ListParams) (daemonapi.ListResult, error) {
	result := daemonapi.ListResult{Memories: []memory.Memory{}}
	var all []memory.Memory
	if status := cmp.Or(p.Status, memory.StatusActive); status == memory.StatusActive {
		index, err := a.Briefing.Index(ctx, p.Project)
		if err != nil {
			return result, err
		}
		all = index.Memories()
		slices.SortFunc(all, func(x, y memory.Memory) int {
			return cmp.Or(y.LastSeenAt.Compare(x.LastSeenAt), cmp.Compare(x.ID, y.ID))
		})
	} else {
		var err error
		if all, err = a.stored(ctx, p.Project, status); err != nil {
			return result, err
		}
	}
	all = slices.DeleteFunc(all, func(m memory.Memory) bool { return !isListed(p, m) })
	all = all[min(max(p.Skip, 0), len(all)):]
	limit := min(max(p.Limit, 1), mostFound, len(all))
	result.Left = len(all) - limit
	ids := memory.Each(all[:limit], func(m memory.Memory) string { return m.ID })
	var err error
	if result.Superseded, err = a.corrected(ctx, ids); err != nil {
		return result, err
	}
	result.Memories = memory.Each(all[:limit], a.Briefing.Count)
	return result, nil
}
