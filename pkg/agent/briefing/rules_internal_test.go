package briefing

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func TestAnAnswersRuleIsFoundByItsQuestion(t *testing.T) {
	m := memory.Memory{Kind: memory.KindDecision, Content: "only the monthly one", Detail: "Should a suspended member still get the newsletter?"}
	if got := RuleOf(m); got != knowledge.RuleAnswer {
		t.Errorf("the rule is %q, not %q", got, knowledge.RuleAnswer)
	}
}
