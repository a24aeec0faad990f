package answers

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/briefing"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// reviewing are the methods of this file.
func (a *Answers) reviewing() []agentapi.Handler {
	return []agentapi.Handler{
		agentapi.MethodReview.Handle(a.Review),
	}
}

// mostLooked bounds the memories that one review looks for rules in, because the rules
// read each text: some 0.1 ms.
const mostLooked = 300

// Review is the queue of the memories that rules kept, the latest first, with people's
// verdicts on the earlier ones.
func (a *Answers) Review(ctx context.Context, p agentapi.OfProject) (agentapi.ReviewResult, error) {
	index, err := a.Briefing.Index(ctx, p.Project)
	if err != nil {
		return agentapi.ReviewResult{}, err
	}
	all := slices.DeleteFunc(index.Memories(), func(m memory.Memory) bool {
		return m.Project != p.Project || !briefing.IsOfARule(m) || slices.Contains(m.Tags, memory.TagConfirmed)
	})
	slices.SortFunc(all, func(x, y memory.Memory) int { return cmp.Or(latestFirst(x, y), cmp.Compare(x.ID, y.ID)) })
	result := agentapi.ReviewResult{Items: []agentapi.ReviewItem{}, Rules: []agentapi.RuleVerdict{}}
	limit := min(max(p.Limit, 1), mostFound)
	guesses, err := a.Briefing.Verdicts.Unasked(ctx, all[:min(len(all), mostLooked)])
	if err != nil {
		return result, err
	}
	for _, m := range guesses {
		rule := briefing.RuleOf(m)
		if rule == "" {
			continue
		}
		if len(result.Items) == limit {
			result.More = true
			break
		}
		result.Items = append(result.Items, agentapi.ReviewItem{Memory: a.Briefing.Count(m), Rule: rule})
	}
	rules, err := a.Briefing.Verdicts.ByRule(ctx)
	if err != nil {
		return result, err
	}
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		result.Rules = append(result.Rules, rules[rule])
	}
	return result, nil
}
