package policy

import (
	"cmp"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// BudgetScope is where memories share a budget.
type BudgetScope = memory.BudgetScope

func budgetScopeName(p BudgetScope) string {
	if p.Scope == memory.ScopeUser {
		return "the user's scope"
	}
	return fmt.Sprintf("the %s scope of %s", p.Scope, p.Project)
}

// BudgetScope is the budget that a row counts in.
func (r Row) BudgetScope() BudgetScope {
	return BudgetScope{Scope: r.Memory.Scope, Project: r.Memory.Project}
}

// Total sums up a budget scope.
type Total struct {
	Rows    int // active or archived
	Tokens  int // of active rows
	Retired int // archived or forgotten within the rules' Window
}

// Totals sums up the budget scopes of rows. If not all rows of a budget scope are loaded, the
// store gives the same sums.
func Totals(now Now, rules Rules, rows []Row) map[BudgetScope]Total {
	totals := map[BudgetScope]Total{}
	for _, row := range rows {
		t := totals[row.BudgetScope()]
		if row.alive() {
			t.Tokens += row.Memory.TokenCount
		}
		if row.alive() || row.Memory.Status == memory.StatusArchived {
			t.Rows++
		}
		if row.retiredLately(now, rules) {
			t.Retired++
		}
		totals[row.BudgetScope()] = t
	}
	return totals
}

func (r Row) retiredLately(now Now, rules Rules) bool {
	retired := r.Memory.Status == memory.StatusArchived || r.Memory.Status == memory.StatusForgotten
	return retired && !r.RetiredAt.IsZero() && now.Time.Sub(r.RetiredAt) < rules.Pruning.Window
}

// CompareBudgetScopes orders budget scopes by scope and project.
func CompareBudgetScopes(a, b BudgetScope) int {
	return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Project, b.Project))
}

// budgetOf is the budget of a scope, if it has one.
func budgetOf(r PruningRules, scope memory.Scope) (tokens int, bounded bool) {
	switch scope {
	case memory.ScopeProject:
		return r.ProjectBudget, true
	case memory.ScopeUser:
		return r.UserBudget, true
	}
	return 0, false
}

// Crowded says whether a budget scope holds more tokens than it may.
func Crowded(rules Rules, scope BudgetScope, total Total) bool {
	budget, bounded := budgetOf(rules.Pruning, scope.Scope)
	return bounded && total.Tokens > budget
}

// OverBudget says whether a budget scope is crowded, and some of its rows may be
// archived now.
func OverBudget(rules Rules, scope BudgetScope, total Total) bool {
	return Crowded(rules, scope, total) && allowance(rules.Pruning, total) > 0
}

// allowance is how many rows of a budget scope may still be archived.
func allowance(r PruningRules, total Total) int {
	return max(1, int(r.LargestShare*float64(total.Rows))) - total.Retired
}

// Spend updates totals by a plan of Prune.
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
