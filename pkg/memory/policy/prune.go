package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Prune plans archiving. It archives weak and barely used rows, and then the weakest until the budget scope is within its
// token budget. Protected rows stay as they are. rows must have all active rows of each budget scope, with their TokenCount.
func Prune(now Now, limits Limits, rows []memory.Row) Plan {
	places := map[budgetScope][]memory.Row{}
	for _, row := range rows {
		of := budgetScope{row.Memory.Scope, row.Memory.Project}
		places[of] = append(places[of], row)
	}
	var plan Plan
	for _, scope := range slices.SortedFunc(maps.Keys(places), func(a, b budgetScope) int {
		return cmp.Or(cmp.Compare(a.scope, b.scope), cmp.Compare(a.project, b.project))
	}) {
		p := pruning{Plan: &plan, now: now, limits: limits, scope: scope}
		p.run(weakestFirst(places[scope], now))
	}
	return plan.ordered()
}

// weakestFirst sorts rows by strength, corrected rows before current ones.
func weakestFirst(rows []memory.Row, now Now) []memory.Row {
	return slices.SortedFunc(slices.Values(rows), func(a, b memory.Row) int {
		return cmp.Or(
			memory.TrueFirst(a.SupersededBy != "", b.SupersededBy != ""),
			cmp.Compare(Strength(a, now), Strength(b, now)),
			cmp.Compare(a.Memory.ID, b.Memory.ID),
		)
	})
}

// pruning is the work on one budget scope.
type pruning struct {
	*Plan
	now    Now
	limits Limits
	scope  budgetScope
	tokens int // tokens of the active rows
}

func (p *pruning) run(rows []memory.Row) {
	var remaining []memory.Row
	for _, row := range rows {
		if !row.Memory.IsRecallable() {
			continue
		}
		p.tokens += row.Memory.TokenCount
		if !Protected(row) && !p.decay(row) {
			remaining = append(remaining, row)
		}
	}
	p.fit(remaining)
}

// decay archives a row if it is weak and barely used, and reports whether it did.
func (p *pruning) decay(row memory.Row) bool {
	strength := Strength(row, p.now)
	if strength >= ArchiveBelow || row.Uses >= EnoughUses {
		return false
	}
	p.archive(row, fmt.Sprintf("strength %.3f is below %g %s; %s",
		strength, ArchiveBelow, unusedFor(age(row, p.now)), memory.Counted(row.Uses, "use")))
	return true
}

// unusedFor returns the words for a memory that was not used for some active days.
func unusedFor(days float64) string {
	if days < 0.1 {
		return "on the day of its last use"
	}
	return fmt.Sprintf("after %.1f active days without use", days)
}

// fit archives the weakest rows until the budget scope is within its budget.
func (p *pruning) fit(weakest []memory.Row) {
	budget := p.limits.ProjectBudget
	if p.scope.scope == memory.ScopeUser {
		budget = p.limits.UserBudget
	}
	for _, row := range weakest {
		if p.tokens <= budget {
			break
		}
		p.archive(row, fmt.Sprintf("%s holds %d tokens, its budget is %d; this was the weakest left, strength %.3f",
			p.scope, p.tokens, budget, Strength(row, p.now)))
	}
	if over := p.tokens - budget; over > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s stays %d tokens over its budget of %d: the remaining memories are protected", p.scope, over, budget))
	}
}

func (p *pruning) archive(row memory.Row, reason string) {
	p.tokens -= row.Memory.TokenCount
	s := row.State()
	s.Status, s.RetiredAt = memory.StatusArchived, p.now.Time
	p.change(KindArchive, row, s, reason)
}

// budgetScope is a group of memories with a common budget: a scope of a project, or the user's.
type budgetScope struct {
	scope   memory.Scope
	project string
}

// String names the scope in a reason.
func (p budgetScope) String() string {
	if p.scope == memory.ScopeUser {
		return "the user's scope"
	}
	return fmt.Sprintf("the %s scope of %s", p.scope, p.project)
}
