package briefing

import (
	"math"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
)

// storeHint reminds the model of a prompt that states something which the model can
// put into better words than the rules that keep it. It stands between tags of its
// own: it is said by the memory and is none.
const storeHint = "<surrealdb-memory-hint>If this rule or decision lasts, store_memory it in one sentence.</surrealdb-memory-hint>\n"

// hintFrom is how salient a statement of a prompt has to be for the hint: one prompt in
// twenty of a real person has one.
const hintFrom = 0.7

// hint is the reminder for a prompt with a strong cue, if it fits into the budget, and
// its tokens; empty for any other. What the prompt asks to be kept is kept as it says
// and needs none.
func (b *Briefing) hint(p agentapi.RecallParams) (text string, tokens int) {
	if !p.Hint || p.Purpose != agentapi.ForPrompt || p.Subagent != "" {
		return "", 0
	}
	strong := false
	for _, s := range knowledge.Statements(p.Text, knowledge.Context{}) {
		if s.Rule == knowledge.RuleAsked {
			return "", 0
		}
		strong = strong || s.Salience >= hintFrom
	}
	tokens = b.Counter.Count(storeHint)
	if !strong || b.share(tokens) > p.TokenBudget {
		return "", 0
	}
	return storeHint, tokens
}

// share is what tokens take of a budget.
func (b *Briefing) share(tokens int) int { return int(math.Ceil(float64(tokens) * b.SafetyFactor)) }
