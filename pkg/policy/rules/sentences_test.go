package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy/rules"
)

// TestASentenceHasTheNumbersInForce changes each number that people set and looks
// whether the policy's sentence changes.
func TestASentenceHasTheNumbersInForce(t *testing.T) {
	for name, change := range map[string]func(*rules.Rules){
		"strength: episodic":   func(r *rules.Rules) { r.EpisodicHalfLife = 2 },
		"strength: semantic":   func(r *rules.Rules) { r.SemanticHalfLife = 2 },
		"strength: procedural": func(r *rules.Rules) { r.ProceduralHalfLife = 2 },
		"prune: grace":         func(r *rules.Rules) { r.Grace = 36 * time.Hour },
		"prune: project":       func(r *rules.Rules) { r.ProjectBudget = 1234567 },
		"prune: user":          func(r *rules.Rules) { r.UserBudget = 10 },
		"prune: share":         func(r *rules.Rules) { r.LargestShare = 0.005 },
	} {
		policy, _, _ := strings.Cut(name, ":")
		changed := rules.Default()
		change(&changed)
		if before, after := sentence(rules.Default(), policy), sentence(changed, policy); before == "" || before == after {
			t.Errorf("%s: still has %q", name, after)
		}
	}
}

func sentence(r rules.Rules, policy string) string {
	for _, one := range r.Sentences() {
		if one.Policy == policy {
			return one.Text
		}
	}
	return ""
}

func TestNumbersReadWell(t *testing.T) {
	r := rules.Default()
	r.ProjectBudget, r.Grace, r.LargestShare = 1234567, 36*time.Hour, 0.005
	for _, part := range []string{"1,234,567 tokens", "36 hours later", "within 12 hours.", "fewer than 3 uses is", "no more than 0.5 %"} {
		if got := sentence(r, "prune"); !strings.Contains(got, part) {
			t.Errorf("%q is not in %q", part, got)
		}
	}
}
