package briefing

import (
	"math"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
)

// storeHint asks the model to store a rule or decision of a prompt in its own words,
// which are better than the extracted ones. It has tags of its own, because it is no
// memory.
const storeHint = "<surrealdb-memory-hint>If this rule or decision lasts, store_memory it in one sentence.</surrealdb-memory-hint>\n"

// hintFrom is the salience from which a statement causes a hint: one of twenty prompts
// of a real person has such a statement.
const hintFrom = 0.7

// hint is the hint for a prompt with a salient statement, with its tokens, if it fits
// into the budget; else empty. Text that the prompt asks to keep is kept as written and
// needs none.
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

// share is the tokens as charged to a budget.
func (b *Briefing) share(tokens int) int { return int(math.Ceil(float64(tokens) * b.SafetyFactor)) }
