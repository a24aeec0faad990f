package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Prune plans archiving and forgetting: weak and barely used rows are archived, then the
// weakest until the budget scope is within its token budget; rows archived for long
// enough that are weaker still lose their text. Protected rows stay as they are, and no
// budget scope loses more than the rules' share of its rows within their window. Rows not
// counted yet (no TokenEncoding) are never archived for the budget.
//
// The rows may be a selection; totals then sum up their whole budget scopes. Nil totals
// are made of the rows.
func Prune(now Now, rules Rules, rows []Row, totals map[BudgetScope]Total) (Plan, error) {
	if err := validate(now, rules, rows); err != nil {
		return Plan{}, fmt.Errorf("plan pruning: %w", err)
	}
	if totals == nil {
		totals = Totals(now, rules, rows)
	}
	places := map[BudgetScope][]Row{}
	for _, row := range rows {
		places[row.BudgetScope()] = append(places[row.BudgetScope()], row)
	}
	d := newDraft(rows)
	for _, scope := range slices.SortedFunc(maps.Keys(places), CompareBudgetScopes) {
		total, known := totals[scope]
		if !known {
			return Plan{}, fmt.Errorf("plan pruning: no total of %s: %w", budgetScopeName(scope), ErrInconsistent)
		}
		p := pruning{draft: d, now: now, rules: rules, scope: scope, total: total}
		p.left = allowance(rules.Pruning, total)
		p.run(weakestFirst(places[scope], now, rules))
	}
	return d.plan(), nil
}

// weakestFirst orders rows by strength, corrected ones before current ones.
func weakestFirst(rows []Row, now Now, rules Rules) []Row {
	return slices.SortedFunc(slices.Values(rows), func(a, b Row) int {
		return cmp.Or(
			yes(b.SupersededBy != "")-yes(a.SupersededBy != ""),
			cmp.Compare(Strength(a, now, rules), Strength(b, now, rules)),
			cmp.Compare(a.Memory.ID, b.Memory.ID),
		)
	})
}

// pruning is the work on one budget scope.
type pruning struct {
	*draft
	now   Now
	rules Rules
	scope BudgetScope
	total Total
	left  int // how many rows may still be archived or forgotten
	held  int // how many were due and had to wait
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
			budgetScopeName(p.scope), p.rules.Pruning.LargestShare*100, p.rules.Pruning.Window, p.held))
	}
}

// decay archives a row that is weak and barely used.
func (p *pruning) decay(row Row) bool {
	strength, limits := Strength(row, p.now, p.rules), p.rules.Pruning
	if strength >= limits.ArchiveBelow || row.Uses >= limits.BarelyUsed {
		return false
	}
	return p.archive(row, fmt.Sprintf("strength %.3f is below %g %s; %s",
		strength, limits.ArchiveBelow, unusedFor(row.age(p.now)), times(row.Uses, "use")))
}

// unusedFor says for how many active days a memory was not used.
func unusedFor(days float64) string {
	if days < 0.1 {
		return "on the day of its last use"
	}
	return fmt.Sprintf("after %.1f active days without use", days)
}

// fit archives the weakest until the budget scope is within its budget.
func (p *pruning) fit(weakest []Row) {
	budget, bounded := budgetOf(p.rules.Pruning, p.scope.Scope)
	if !bounded {
		return
	}
	for _, row := range weakest {
		if p.total.Tokens <= budget || p.left <= 0 {
			break
		}
		if row.Memory.TokenCount > 0 && row.Memory.TokenEncoding != "" {
			p.archive(row, fmt.Sprintf("%s holds %d tokens, its budget is %d; this was the weakest left, strength %.3f",
				budgetScopeName(p.scope), p.total.Tokens, budget, Strength(row, p.now, p.rules)))
		}
	}
	over := p.total.Tokens - budget
	switch {
	case over > 0 && p.left <= 0:
		p.note(fmt.Sprintf("%s stays %d tokens over its budget of %d until more may be put away", budgetScopeName(p.scope), over, budget))
	case over > 0:
		p.note(fmt.Sprintf("%s stays %d tokens over its budget of %d: what is left is protected, not counted or not loaded", budgetScopeName(p.scope), over, budget))
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
	strength, limits := Strength(row, p.now, p.rules), p.rules.Pruning
	if row.Memory.Status != memory.StatusArchived || row.Protected() || row.RetiredAt.IsZero() ||
		strength >= limits.ForgetBelow || p.now.Time.Sub(row.RetiredAt) < limits.Grace || !p.mayGo() {
		return
	}
	s := row.State()
	s.Status, s.RetiredAt = memory.StatusForgotten, p.now.Time
	s.Content, s.Detail, s.Tags, s.Cues, s.TokenCount = "", "", nil, nil, 0
	p.change(KindForget, row.With(s), fmt.Sprintf("archived since %s, longer than %s; strength %.4f is below %g",
		row.RetiredAt.UTC().Format("2006-01-02"), limits.Grace, strength, limits.ForgetBelow))
}

func (p *pruning) mayGo() bool {
	if p.left <= 0 {
		p.held++
		return false
	}
	p.left--
	return true
}
