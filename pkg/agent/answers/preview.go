package answers

import (
	"context"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/briefing"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/start"
)

// Preview is the answer that SessionContext would give to a new session, with all
// candidates for it. It notes nothing as shown.
func (a *Answers) Preview(ctx context.Context, p agentapi.PreviewParams) (agentapi.PreviewResult, error) {
	rows, err := a.Briefing.StartOf(ctx, p.Project, "")
	if err != nil {
		return agentapi.PreviewResult{}, err
	}
	budget := briefing.BudgetOf(rows, p.TokenBudget)
	packed, offered := pack.Preview(start.Sections(rows, a.Counter), pack.ContextLimits(budget, a.SafetyFactor), a.Counter)
	result := agentapi.PreviewResult{Text: packed.Text, Tokens: packed.Tokens, Encoding: a.Counter.Encoding(), Budget: budget, Lines: []agentapi.PreviewLine{}}
	memories := map[string]memory.Memory{}
	for _, m := range slices.Concat(rows.Todos, rows.Conventions, rows.Failing, rows.Preferences, rows.Facts) {
		memories[m.ID] = m
	}
	for _, one := range offered {
		_, isMemory := memories[one.ID]
		result.Lines = append(result.Lines, agentapi.PreviewLine{
			ID: one.ID, Session: !isMemory, Section: one.Section, Line: one.Line, Tokens: one.Tokens, Told: one.Taken, Why: a.whyOffered(one, memories),
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
	case c.Crowded:
		return why + "; its section has all the lines it may have"
	}
	return why + "; no room is left for its tokens"
}
