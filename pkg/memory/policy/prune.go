package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy/rules"
)

// Prune plans archiving and forgetting. It archives weak and barely used rows, and then the weakest
// until the budget scope is within its token budget. Rows that were archived for long enough and are
// weaker still lose their text. Protected rows stay as they are, and no budget scope loses more than
// the rules' share of its rows within their window. Rows not counted yet (no TokenEncoding) are never
// archived for the budget.
//
// The rows may be a selection; totals must sum up their whole budget scopes.
func Prune(now Now, limits Rules, rows []Row, totals map[memory.BudgetScope]memory.BudgetTotal) (Plan, error) {
	if err := validate(now, rows); err != nil {
		return Plan{}, fmt.Errorf("plan pruning: %w", err)
	}
	places := map[memory.BudgetScope][]Row{}
	for _, row := range rows {
		places[row.BudgetScope()] = append(places[row.BudgetScope()], row)
	}
	d := newDraft(rows)
	for _, scope := range slices.SortedFunc(maps.Keys(places), CompareBudgetScopes) {
		total, known := totals[scope]
		if !known {
			return Plan{}, fmt.Errorf("plan pruning: no total of %s: %w", budgetScopeName(scope), ErrInconsistent)
		}
		p := pruning{draft: d, now: now, limits: limits, scope: scope, total: total}
		p.left = allowance(limits, total)
		p.run(weakestFirst(places[scope], now, limits))
	}
	return d.plan(), nil
}

// weakestFirst sorts rows by strength, corrected rows before current ones.
func weakestFirst(rows []Row, now Now, limits Rules) []Row {
	return slices.SortedFunc(slices.Values(rows), func(a, b Row) int {
		return cmp.Or(
			yes(b.SupersededBy != "")-yes(a.SupersededBy != ""),
			cmp.Compare(Strength(a, now, limits), Strength(b, now, limits)),
			cmp.Compare(a.Memory.ID, b.Memory.ID),
		)
	})
}

// pruning is the work on one budget scope.
type pruning struct {
	*draft
	now    Now
	limits Rules
	scope  memory.BudgetScope
	total  memory.BudgetTotal
	left   int // how many rows may still be archived or forgotten
	held   int // how many were due and had to wait
}

func (p *pruning) run(rows []Row) {
	var remaining []Row
	for _, row := range rows {
		if row.alive() && !row.Protected() && !p.decay(row) {
			remaining = append(remaining, row)
		}
	}
	p.fit(remaining)
	for _, row := range rows {
		p.forget(row)
	}
	if p.held > 0 {
		p.note(fmt.Sprintf("%s: no more than %g %% may go within %s; waiting although due: %d",
			budgetScopeName(p.scope), p.limits.LargestShare*100, rules.Window, p.held))
	}
}

// decay archives a row that is weak and barely used.
func (p *pruning) decay(row Row) bool {
	strength := Strength(row, p.now, p.limits)
	if strength >= rules.ArchiveBelow || row.Uses >= rules.BarelyUsed {
		return false
	}
	return p.archive(row, fmt.Sprintf("strength %.3f is below %g %s; %s",
		strength, rules.ArchiveBelow, unusedFor(row.age(p.now)), times(row.Uses, "use")))
}

// unusedFor returns the words for a memory that was not used for some active days.
func unusedFor(days float64) string {
	if days < 0.1 {
		return "on the day of its last use"
	}
	return fmt.Sprintf("after %.1f active days without use", days)
}

// fit archives the weakest rows until the budget scope is within its budget.
func (p *pruning) fit(weakest []Row) {
	budget, bounded := budgetOf(p.limits, p.scope.Scope)
	if !bounded {
		return
	}
	for _, row := range weakest {
		if p.total.Tokens <= budget || p.left <= 0 {
			break
		}
		if row.Memory.TokenCount > 0 && row.Memory.TokenEncoding != "" {
			p.archive(row, fmt.Sprintf("%s holds %d tokens, its budget is %d; this was the weakest left, strength %.3f",
				budgetScopeName(p.scope), p.total.Tokens, budget, Strength(row, p.now, p.limits)))
		}
	}
	over := p.total.Tokens - budget
	switch {
	case over > 0 && p.left <= 0:
		p.note(fmt.Sprintf("%s stays %d tokens over its budget of %d until more may be archived",
			budgetScopeName(p.scope), over, budget))
	case over > 0:
		p.note(fmt.Sprintf("%s stays %d tokens over its budget of %d: the remaining memories are protected, not counted or not loaded", budgetScopeName(p.scope), over, budget))
	}
}

func (p *pruning) archive(row Row, reason string) bool {
	if !p.mayGo() {
		return false
	}
	p.total.Tokens -= row.Memory.TokenCount
	s := row.State()
	s.Status, s.RetiredAt = memory.StatusArchived, p.now.Time
	p.change(KindArchive, row.With(s), reason)
	return true
}

// forget clears the text of a row that was archived for long enough.
func (p *pruning) forget(row Row) {
	strength := Strength(row, p.now, p.limits)
	if row.Memory.Status != memory.StatusArchived || row.Protected() || row.RetiredAt.IsZero() ||
		strength >= rules.ForgetBelow || p.now.Time.Sub(row.RetiredAt) < p.limits.Grace || !p.mayGo() {
		return
	}
	s := row.State()
	s.Status, s.RetiredAt = memory.StatusForgotten, p.now.Time
	s.Content, s.Detail, s.Title, s.Area, s.Tags, s.Cues, s.TokenCount = "", "", "", "", nil, nil, 0
	p.change(KindForget, row.With(s), fmt.Sprintf("archived since %s, longer than %s; strength %.4f is below %g",
		row.RetiredAt.UTC().Format("2006-01-02"), p.limits.Grace, strength, rules.ForgetBelow))
}

func (p *pruning) mayGo() bool {
	if p.left <= 0 {
		p.held++
		return false
	}
	p.left--
	return true
}

func budgetScopeName(p memory.BudgetScope) string {
	if p.Scope == memory.ScopeUser {
		return "the user's scope"
	}
	return fmt.Sprintf("the %s scope of %s", p.Scope, p.Project)
}

// BudgetScope returns the budget that a row counts in.
func (r Row) BudgetScope() memory.BudgetScope {
	return memory.BudgetScope{Scope: r.Memory.Scope, Project: r.Memory.Project}
}

// CompareBudgetScopes compares budget scopes by scope and then project.
func CompareBudgetScopes(a, b memory.BudgetScope) int {
	return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Project, b.Project))
}

// budgetOf returns the token budget of a scope, if it has one.
func budgetOf(limits Rules, scope memory.Scope) (tokens int, bounded bool) {
	switch scope {
	case memory.ScopeProject:
		return limits.ProjectBudget, true
	case memory.ScopeUser:
		return limits.UserBudget, true
	}
	return 0, false
}

// OverBudget reports whether the memories of a budget scope have more tokens than its budget.
func OverBudget(limits Rules, scope memory.BudgetScope, total memory.BudgetTotal) bool {
	budget, bounded := budgetOf(limits, scope.Scope)
	return bounded && total.Tokens > budget
}

// NeedsPruning reports whether a budget scope is over its budget and a row of it may be archived now.
func NeedsPruning(limits Rules, scope memory.BudgetScope, total memory.BudgetTotal) bool {
	return OverBudget(limits, scope, total) && allowance(limits, total) > 0
}

// allowance returns how many rows of a budget scope may still be archived.
func allowance(limits Rules, total memory.BudgetTotal) int {
	return max(1, int(limits.LargestShare*float64(total.Rows))) - total.Retired
}

// UpdateTotals subtracts the actions of a plan of Prune from totals.
func UpdateTotals(totals map[memory.BudgetScope]memory.BudgetTotal, plan Plan) {
	for _, a := range plan.Actions {
		scope := memory.BudgetScope{Scope: a.Before.Scope, Project: a.Before.Project}
		total := totals[scope]
		total.Retired++
		switch a.Kind {
		case KindArchive:
			total.Tokens -= a.Before.TokenCount
		case KindForget:
			total.Rows--
		}
		totals[scope] = total
	}
}
