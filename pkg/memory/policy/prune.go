package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Prune plans archiving. It archives weak and barely used rows, and then the weakest until the budget scope is within its token budget.
// Protected rows stay. A row also stays as long as an active memory needs it: neededFor maps the row's id to the ids of the memories that
// need it. rows must have all active rows of each budget scope, with their TokenCount.
func Prune(now Now, limits Limits, rows []memory.Row, neededFor map[string][]string) Plan {
	places := map[budgetScope][]memory.Row{}
	for _, row := range rows {
		of := budgetScope{row.Memory.Scope, row.Memory.Project}
		places[of] = append(places[of], row)
	}
	var plan Plan
	gone := map[string]bool{}
	for _, scope := range slices.SortedFunc(maps.Keys(places), func(a, b budgetScope) int {
		return cmp.Or(cmp.Compare(a.scope, b.scope), cmp.Compare(a.project, b.project))
	}) {
		p := pruning{Plan: &plan, now: now, limits: limits, scope: scope, neededFor: neededFor, gone: gone}
		p.run(weakestFirst(places[scope], now))
	}
	return plan.ordered()
}

// weakestFirst sorts rows by strength, the weakest first, but superseded rows before all others.
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

	neededFor map[string][]string
	gone      map[string]bool // ids of the rows that the plan archives
}

func (p *pruning) run(weakest []memory.Row) {
	var rows []memory.Row
	for _, row := range weakest {
		if !row.Memory.IsRecallable() {
			continue
		}
		if p.tokens += row.Memory.TokenCount; !Protected(row) {
			rows = append(rows, row)
		}
	}
	for n := -1; n < len(p.Actions); { // a row that goes may set free others that it needed
		n = len(p.Actions)
		if rows = slices.DeleteFunc(rows, p.decay); n == len(p.Actions) {
			rows = slices.DeleteFunc(rows, p.fit)
		}
	}
	if over := p.tokens - p.budget(); over > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s stays %d tokens over its budget of %d: the remaining memories are protected", p.scope, over, p.budget()))
	}
}

// isNeeded reports whether an active memory needs the row.
func (p *pruning) isNeeded(row memory.Row) bool {
	return slices.ContainsFunc(p.neededFor[row.Memory.ID], func(id string) bool { return !p.gone[id] })
}

// decay archives a row if it is weak, barely used and not needed, and reports whether it did.
func (p *pruning) decay(row memory.Row) bool {
	strength := Strength(row, p.now)
	if strength >= ArchiveBelow || row.Uses >= EnoughUses || p.isNeeded(row) {
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

func (p *pruning) budget() int {
	if p.scope.scope == memory.ScopeUser {
		return p.limits.UserBudget
	}
	return p.limits.ProjectBudget
}

// fit archives a row if the budget scope is above its budget and the row is not needed, and reports whether it did.
func (p *pruning) fit(row memory.Row) bool {
	if p.tokens <= p.budget() || p.isNeeded(row) {
		return false
	}
	p.archive(row, fmt.Sprintf("%s holds %d tokens, its budget is %d; this was the weakest left, strength %.3f",
		p.scope, p.tokens, p.budget(), Strength(row, p.now)))
	return true
}

func (p *pruning) archive(row memory.Row, reason string) {
	p.tokens -= row.Memory.TokenCount
	p.gone[row.Memory.ID] = true
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
