package answers

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/briefing"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/start"
)

// reviewing are the methods of this file.
func (a *Answers) reviewing() []agentapi.Handler {
	return []agentapi.Handler{
		agentapi.MethodReview.Handle(a.Review),
		agentapi.MethodCensus.Handle(a.Census),
		agentapi.MethodPreview.Handle(a.Preview),
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

// Census counts the memories that recall can find.
func (a *Answers) Census(ctx context.Context, p agentapi.OfProject) (agentapi.Census, error) {
	census := agentapi.Census{
		Kinds: map[memory.Kind]int{}, Types: map[memory.Type]int{}, Scopes: map[memory.Scope]int{},
		Tokens: map[memory.Scope]int{},
		Days:   []agentapi.CensusDay{},
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

// Preview is the answer that SessionContext would give to a new session, with all
// candidates for it. It notes nothing as shown.
func (a *Answers) Preview(ctx context.Context, p agentapi.PreviewParams) (agentapi.PreviewResult, error) {
	rows, err := a.Briefing.Next(ctx, p.Project)
	if err != nil {
		return agentapi.PreviewResult{}, err
	}
	budget := briefing.BudgetOf(rows, p.TokenBudget)
	packed, offered := pack.Preview(start.Sections(rows, a.Counter), pack.ContextLimits(budget), a.Counter)
	result := agentapi.PreviewResult{
		Text: packed.Text, Tokens: packed.Tokens, Encoding: a.Counter.Encoding(),
		Budget: budget, Lines: []agentapi.PreviewLine{},
	}
	memories := map[string]memory.Memory{}
	for _, m := range slices.Concat(rows.Todos, rows.Conventions, rows.Failing, rows.Preferences, rows.Facts) {
		memories[m.ID] = m
	}
	for _, one := range offered {
		_, isMemory := memories[one.ID]
		result.Lines = append(result.Lines, agentapi.PreviewLine{
			ID: one.ID, Session: !isMemory, Section: one.Section, Line: one.Line, Tokens: one.Tokens,
			Injected: one.Taken, Why: a.whyOffered(one, memories),
		})
	}
	return result, nil
}

// whyOffered gives the reasons for a line's rank, and for its omission.
func (a *Answers) whyOffered(c pack.Candidate, memories map[string]memory.Memory) string {
	why := "an earlier session"
	if m, isMemory := memories[c.ID]; isMemory {
		age := int(a.Now().Sub(m.LastSeenAt).Hours() / 24)
		why = fmt.Sprintf("importance %.2f, last seen %d days ago", m.Importance, age)
		switch {
		case m.Pinned:
			why = fmt.Sprintf("pinned, importance %.2f", m.Importance)
		case age == 0:
			why = fmt.Sprintf("importance %.2f, last seen today", m.Importance)
		case age == 1:
			why = fmt.Sprintf("importance %.2f, last seen yesterday", m.Importance)
		}
	}
	switch {
	case c.Taken:
		return why
	case c.Named:
		return why + "; named by its title, in full it had no room"
	case c.Crowded:
		return why + "; its section has all the lines it may have"
	}
	return why + "; no room is left for its tokens"
}
