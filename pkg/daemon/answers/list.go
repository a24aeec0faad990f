package answers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

const (
	// mostFound is the maximum number of memories in an answer.
	mostFound = 100
	// mostListedThrough is the maximum number of memories that one call of List or Find reads from the store.
	mostListedThrough = 2000
)

func isListed(p daemonapi.ListParams, m memory.Memory) bool {
	isOf := func(file string) bool {
		return file == p.File || strings.HasPrefix(file, strings.TrimSuffix(p.File, "/")+"/")
	}
	switch {
	case len(p.Kinds) > 0 && !slices.Contains(p.Kinds, m.Kind),
		p.Tag != "" && !m.HasTag(p.Tag),
		p.Scope != "" && m.Scope != p.Scope,
		p.File != "" && !slices.ContainsFunc(m.Files, isOf),
		!p.Since.IsZero() && m.LastSeenAt.Before(p.Since),
		!p.Until.IsZero() && !m.LastSeenAt.Before(p.Until):
		return false
	}
	return true
}

// mostOfAPage is the maximum number of rows that are read from the store at once.
const mostOfAPage = 500

// listStored lists memories that are not in the index, the latest first, after the previous page. It reads rows until
// its page is full or mostListedThrough rows are read.
func (a *Answers) listStored(ctx context.Context, p daemonapi.ListParams, session string) (daemonapi.ListResult, error) {
	result := daemonapi.ListResult{Memories: []memory.Memory{}}
	limit := min(max(p.Limit, 1), mostFound)
	after, looked := p.After, 0
	for rows := limit; looked < mostListedThrough; rows = mostOfAPage {
		page, more, err := a.page(ctx, p.Project, cmp.Or(p.Status, memory.StatusActive), after, rows)
		if err != nil {
			return result, err
		}
		for i, one := range page {
			after = memory.PageOrder(one)
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

// page returns the next rows of a project and of the user after a cursor, and whether there are more.
func (a *Answers) page(
	ctx context.Context, project string, status memory.Status, after string, limit int,
) ([]memory.Row, bool, error) {
	var all []memory.Row
	more := false
	for _, owner := range slices.Compact([]string{project, ""}) {
		found, err := a.Store.Rows(ctx, memory.Page{Project: owner, Status: status, After: after, Limit: limit})
		if err != nil {
			return nil, false, err
		}
		all, more = append(all, found...), more || len(found) == limit
	}
	slices.SortFunc(all, func(x, y memory.Row) int { return cmp.Compare(memory.PageOrder(x), memory.PageOrder(y)) })
	return all[:min(limit, len(all))], more || len(all) > limit, nil
}

// latest returns the newest memories of a project and of the user with the given status, from at most
// mostListedThrough rows.
func (a *Answers) latest(ctx context.Context, project string, status memory.Status) ([]memory.Memory, error) {
	var all []memory.Memory
	after := ""
	for range mostListedThrough / mostOfAPage {
		page, more, err := a.page(ctx, project, status, after, mostOfAPage)
		if err != nil {
			return nil, err
		}
		for _, one := range page {
			after, all = memory.PageOrder(one), append(all, one.Memory)
		}
		if !more {
			break
		}
	}
	return all, nil
}

// List returns the memories with the requested properties, the latest first. Memories of the last session are listed
// oldest first.
func (a *Answers) List(ctx context.Context, p daemonapi.ListParams) (daemonapi.ListResult, error) {
	result, session := daemonapi.ListResult{Memories: []memory.Memory{}}, ""
	if p.LastSession {
		start, err := a.Briefing.StartOf(ctx, p.Project, p.Session)
		if err != nil || len(start.Summaries) == 0 {
			return result, err
		}
		session, result.Summary = start.Summaries[0].ID, start.Summaries[0].Summary.Text
		record, err := memory.RecordOf(ctx, a.Store, session)
		if err != nil && !errors.Is(err, memory.ErrNotFound) { // not found: the session was purged meanwhile
			return result, err
		}
		result.Digest = record.Session.Summary.Digest
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
	all := slices.DeleteFunc(index.Memories(), func(m memory.Memory) bool {
		return session != "" &&
			m.Session != session || !isListed(p, m)
	})
	slices.SortFunc(all, func(x, y memory.Memory) int { return cmp.Or(latestFirst(x, y), cmp.Compare(x.ID, y.ID)) })
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

func latestFirst(x, y memory.Memory) int { return y.LastSeenAt.Compare(x.LastSeenAt) }

// isIndexed reports whether the index holds all memories of the requested status.
func isIndexed(p daemonapi.ListParams) bool {
	return cmp.Or(p.Status, memory.StatusActive) == memory.StatusActive
}
