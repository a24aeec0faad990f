package policy

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/sketch"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/statement"
)

// What a plan needs to be given of a store that is too large to be given as a
// whole: the keys by which rows that may matter to each other find each other,
// and the sums of budget scopes.

// Bands are the keys of a row under which Dedup's candidates meet: a duplicate or
// a correction shares one with it. Rows that Dedup leaves alone have none.
func Bands(row Row) []string {
	if !row.comparable() {
		return nil
	}
	return statement.Parse(row.Memory.Content).Keys(row.group())
}

// comparable says whether Dedup looks at the row.
func (r Row) comparable() bool { return r.alive() && !r.Kept && r.Memory.Kind.Searchable() }

// group is what two rows must agree in to be compared.
func (r Row) group() uint64 {
	m := r.Memory
	return sketch.Hash(string(m.Scope), m.Project, string(m.Kind), fmt.Sprint(r.Done))
}

// Wording is the key of a row under which Promote's candidates meet: those that
// say the same in other projects. Rows that Promote leaves alone have none.
func Wording(row Row) []string {
	if !row.mayMove() {
		return nil
	}
	sum := sketch.Hash("wording", row.wording())
	var raw [8]byte
	for i := range raw {
		raw[i] = byte(sum >> (56 - 8*i))
	}
	return []string{"w" + hex.EncodeToString(raw[:])}
}

// wording is what rows that say the same have in common, in whichever project.
func (r Row) wording() string {
	return fmt.Sprintf("%s %t %s", r.Memory.Kind, r.Done, strings.ToLower(memory.Normalise(r.Memory.Content)))
}

// Crowded says whether a budget scope holds more tokens than it may.
func Crowded(rules Rules, scope BudgetScope, total Total) bool {
	budget, bounded := budgetOf(rules.Pruning, scope.Scope)
	return bounded && total.Tokens > budget
}

// OverBudget says whether a budget scope is crowded, and some of it may be put away now.
func OverBudget(rules Rules, scope BudgetScope, total Total) bool {
	return Crowded(rules, scope, total) && allowance(rules.Pruning, total) > 0
}

// allowance is how many rows of a budget scope may still be put away.
func allowance(r PruningRules, total Total) int {
	return max(1, int(r.LargestShare*float64(total.Rows))) - total.Retired
}

// Spend brings totals to what they are after a plan by Prune.
func Spend(totals map[BudgetScope]Total, plan Plan) {
	for _, a := range plan.Actions {
		scope := BudgetScope{Scope: a.Before.Scope, Project: a.Before.Project}
		total := totals[scope]
		total.Retired++
		switch a.Kind {
		case KindArchive:
			total.Tokens -= a.Before.TokenCount
		case KindForget:
			total.Rows--
		default:
		}
		totals[scope] = total
	}
}
