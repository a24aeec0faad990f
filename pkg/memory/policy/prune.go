package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Prune plans archiving. It archives weak and barely used rows, and then the weakest until the budget scope is within its
// token budget. Protected rows stay as they are, and no budget scope loses more than the limits' share of its rows within
// their window.
//
// rows must have all active rows of its budget scopes, with their TokenCount, and the rows that were archived within the
// window.
func Prune(now Now, limits Limits, rows []Row) Plan {
	places := map[budgetScope][]Row{}
	for _, row := range rows {
		of := budgetScope{row.Memory.Scope, row.Memory.Project}
		places[of] = append(places[of], row)
	}
	d := newDraft(rows)
	for _, scope := range slices.SortedFunc(maps.Keys(places), func(a, b budgetScope) int {
		return cmp.Or(cmp.Compare(a.scope, b.scope), cmp.Compare(a.project, b.project))
	}) {
		p := pruning{draft: d, now: now, limits: limits, scope: scope}
		p.sum(places[scope])
		p.run(weakestFirst(places[scope], now))
	}
	return d.plan()
}

// weakestFirst sorts rows by strength, corrected rows before current ones.
func weakestFirst(rows []Row, now Now) []Row {
	return slices.SortedFunc(slices.Values(rows), func(a, b Row) int {
		return cmp.Or(
			memory.TrueFirst(a.SupersededBy != "", b.SupersededBy != ""),
			cmp.Compare(Strength(a, now), Strength(b, now)),
			cmp.Compare(a.Memory.ID, b.Memory.ID),
		)
	})
}

// pruning is the work on one budget scope.
type pruning struct {
	*draft
	now    Now
	limits Limits
	scope  budgetScope
	tokens int // tokens of the active rows
	left   int // number of rows that may still be archived
	held   int // number of due rows that had to wait
}

// sum counts the tokens of the scope, and how many of its rows may still go: the limits' share of the rows that were active
// when the window began, without those that were archived since.
func (p *pruning) sum(rows []Row) {
	alive, retired := 0, 0
	for _, row := range rows {
		switch {
		case row.alive():
			alive, p.tokens = alive+1, p.tokens+row.Memory.TokenCount
		case row.retiredLately(p.now):
			retired++
		}
	}
	p.left = max(1, int(p.limits.LargestShare*float64(alive+retired))) - retired
}

func (r Row) retiredLately(now Now) bool {
	return r.Memory.Status == memory.StatusArchived && !r.RetiredAt.IsZero() && now.Time.Sub(r.RetiredAt) < Window
}

func (p *pruning) run(rows []Row) {
	var remaining []Row
	for _, row := range rows {
		if row.alive() && !row.Protected() && !p.decay(row) {
			remaining = append(remaining, row)
		}
	}
	p.fit(remaining)
	if p.held > 0 {
		p.note(fmt.Sprintf("%s: no more than %g %% may go within %s; waiting although due: %d",
			p.scope, p.limits.LargestShare*100, Window, p.held))
	}
}

// decay archives a row that is weak and barely used.
func (p *pruning) decay(row Row) bool {
	strength := Strength(row, p.now)
	if strength >= ArchiveBelow || row.Uses >= EnoughUses {
		return false
	}
	return p.archive(row, fmt.Sprintf("strength %.3f is below %g %s; %s",
		strength, ArchiveBelow, unusedFor(row.age(p.now)), times(row.Uses, "use")))
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
	budget, bounded := p.budget()
	if !bounded {
		return
	}
	for _, row := range weakest {
		if p.tokens <= budget || p.left <= 0 {
			break
		}
		p.archive(row, fmt.Sprintf("%s holds %d tokens, its budget is %d; this was the weakest left, strength %.3f",
			p.scope, p.tokens, budget, Strength(row, p.now)))
	}
	over := p.tokens - budget
	switch {
	case over > 0 && p.left <= 0:
		p.note(fmt.Sprintf("%s stays %d tokens over its budget of %d until more may be archived",
			p.scope, over, budget))
	case over > 0:
		p.note(fmt.Sprintf("%s stays %d tokens over its budget of %d: the remaining memories are protected", p.scope, over, budget))
	}
}

func (p *pruning) archive(row Row, reason string) bool {
	if !p.mayGo() {
		return false
	}
	p.tokens -= row.Memory.TokenCount
	s := row.State()
	s.Status, s.RetiredAt = memory.StatusArchived, p.now.Time
	p.change(KindArchive, row.With(s), reason)
	return true
}

func (p *pruning) mayGo() bool {
	if p.left <= 0 {
		p.held++
		return false
	}
	p.left--
	return true
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

// budget returns the token budget of the scope, if it has one.
func (p *pruning) budget() (tokens int, bounded bool) {
	switch p.scope.scope {
	case memory.ScopeProject:
		return p.limits.ProjectBudget, true
	case memory.ScopeUser:
		return p.limits.UserBudget, true
	}
	return 0, false
}
