package answers

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/briefing"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

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
	for _, m := range all[:min(len(all), mostLooked)] {
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
	rules, err := a.Briefing.ByRule(ctx)
	if err != nil {
		return result, err
	}
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		result.Rules = append(result.Rules, rules[rule])
	}
	return result, nil
}

// Census counts the memories that recall can find.
func (a *Answers) Census(ctx context.Context, p agentapi.OfProject) (agentapi.Census, error) {
	census := agentapi.Census{
		Kinds: map[memory.Kind]int{}, Types: map[memory.Type]int{}, Scopes: map[memory.Scope]int{}, Tokens: map[memory.Scope]int{},
		Days: []agentapi.CensusDay{},
	}
	index, err := a.Briefing.Index(ctx, p.Project)
	if err != nil {
		return census, err
	}
	learned := map[string]int{}
	for _, m := range index.Memories() {
		census.Kinds[m.Kind]++
		census.Types[m.Type]++
		census.Scopes[m.Scope]++
		census.Tokens[m.Scope] += m.TokenCount
		learned[m.CreatedAt.UTC().Format(time.DateOnly)]++
	}
	for _, day := range slices.Sorted(maps.Keys(learned)) {
		census.Days = append(census.Days, agentapi.CensusDay{Day: day, Learned: learned[day]})
	}
	return census, nil
}
