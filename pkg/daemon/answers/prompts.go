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

// Prompts returns the last prompts of a project, the latest first, each with the number of memories that were injected
// for it.
func (a *Answers) Prompts(ctx context.Context, p daemonapi.OfProject) ([]daemonapi.AskedPrompt, error) {
	a.Sessions.Save(ctx)
	limit := min(max(p.Limit, 1), mostFound)
	newest := memory.LastSessions{Project: p.Project, Limit: promptSessions, Counted: true}
	sessions, err := a.Store.Sessions(ctx, newest)
	if err != nil {
		return nil, err
	}
	all := []daemonapi.AskedPrompt{}
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
		injected, err := memory.Injections(ctx, a.Store, memory.InjectedInto{Session: one.ID, From: one.StartedAt})
		if err != nil {
			return nil, err
		}
		for _, prompt := range record.Prompts {
			all = append(all, daemonapi.AskedPrompt{Prompt: prompt, Injected: injectedFor(record, prompt, injected)})
		}
	}
	slices.SortStableFunc(all, func(x, y daemonapi.AskedPrompt) int {
		return cmp.Or(y.At.Compare(x.At), cmp.Compare(x.ID, y.ID))
	})
	return all[:min(len(all), limit)], nil
}

// injectedFor counts the memories that a session was given for a prompt, by the same rule as Why.
func injectedFor(record memory.SessionRecord, prompt memory.Prompt, injected []memory.Injection) (count int) {
	until := answeredBy(record, prompt.At)
	for _, one := range injected {
		isOfPrompt := one.Hook == daemonapi.ForPrompt && one.Subagent == ""
		if isOfPrompt && !one.At.Before(prompt.At) && one.At.Before(until) {
			count++
		}
	}
	return count
}
