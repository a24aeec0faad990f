package policy

import "github.com/surrealdb-memory/surrealdb-memory/pkg/policy/rules"

// The numbers that policies decide by.
type (
	Rules          = rules.Rules
	StrengthRules  = rules.StrengthRules
	PruningRules   = rules.PruningRules
	PromotionRules = rules.PromotionRules
	DedupRules     = rules.DedupRules
	RepeatRules    = rules.RepeatRules
)

// DefaultRules returns the rules that hold if nothing is configured.
func DefaultRules() Rules { return rules.Default() }

func unit(value float64) bool { return value >= 0 && value <= 1 }
