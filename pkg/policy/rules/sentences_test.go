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
		"strength: working":     func(r *rules.Rules) { r.Strength.WorkingHalfLife = 2 },
		"strength: episodic":    func(r *rules.Rules) { r.Strength.EpisodicHalfLife = 2 },
		"strength: semantic":    func(r *rules.Rules) { r.Strength.SemanticHalfLife = 2 },
		"strength: procedural":  func(r *rules.Rules) { r.Strength.ProceduralHalfLife = 2 },
		"strength: lengthening": func(r *rules.Rules) { r.Strength.Lengthening = 0.5 },
		"strength: longest":     func(r *rules.Rules) { r.Strength.LongestFactor = 5 },
		"repeats: episodes":     func(r *rules.Rules) { r.Repeats.Episodes = 7 },
		"repeats: together":     func(r *rules.Rules) { r.Repeats.TogetherShare = 0.9 },
		"dedup: similarity":     func(r *rules.Rules) { r.Dedup.Similarity = 0.9 },
		"promote: importance":   func(r *rules.Rules) { r.Promotion.ProjectImportance = 0.4 },
		"promote: uses":         func(r *rules.Rules) { r.Promotion.ProjectUses = 9 },
		"promote: sessions":     func(r *rules.Rules) { r.Promotion.ProjectSessions = 9 },
		"promote: user":         func(r *rules.Rules) { r.Promotion.UserImportance = 0.9 },
		"promote: user uses":    func(r *rules.Rules) { r.Promotion.UserUses = 9 },
		"promote: projects":     func(r *rules.Rules) { r.Promotion.UserProjects = 9 },
		"promote: repeated":     func(r *rules.Rules) { r.Promotion.RepeatedImportance = 0.9 },
		"promote: margin":       func(r *rules.Rules) { r.Promotion.Margin = 0.1 },
		"stale: factor":         func(r *rules.Rules) { r.Stale.Factor = 0.25 },
		"prune: archive":        func(r *rules.Rules) { r.Pruning.ArchiveBelow = 0.2 },
		"prune: uses":           func(r *rules.Rules) { r.Pruning.BarelyUsed = 1 },
		"prune: forget":         func(r *rules.Rules) { r.Pruning.ForgetBelow = 0.001 },
		"prune: grace":          func(r *rules.Rules) { r.Pruning.Grace = 36 * time.Hour },
		"prune: project":        func(r *rules.Rules) { r.Pruning.ProjectBudget = 1234567 },
		"prune: user":           func(r *rules.Rules) { r.Pruning.UserBudget = 10 },
		"prune: share":          func(r *rules.Rules) { r.Pruning.LargestShare = 0.005 },
		"prune: window":         func(r *rules.Rules) { r.Pruning.Window = time.Hour },
	} {
		policy, _, _ := strings.Cut(name, ":")
		changed := rules.Default()
		change(&changed)
		if before, after := sentence(rules.Default(), policy), sentence(changed, policy); before == "" || before == after {
			t.Errorf("%s: still says %q", name, after)
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
	r.Pruning.ProjectBudget, r.Pruning.Grace, r.Pruning.Window, r.Pruning.BarelyUsed = 1234567, 36*time.Hour, time.Hour, 1
	for _, part := range []string{"1,234,567 tokens", "36 hours later", "within 1 hour.", "fewer than 1 use is"} {
		if got := r.Pruning.Sentence(); !strings.Contains(got, part) {
			t.Errorf("%q is not in %q", part, got)
		}
	}
}
