package policy

import (
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Promote plans which memories of projects become the user's. Duplicates in several projects are evidence for each other. With enough
// evidence they become one row, but pinned duplicates stay. Reported rows (memory.Memory.IsHearsay) never become the user's. Only a
// person narrows a scope (memory edit --scope project).
//
// The id of a promoted row does not change.
func Promote(rows []memory.Row) Plan {
	var plan Plan
	alike := map[string][]memory.Row{}
	for _, row := range rows {
		if isCurrent(row) && isEvidence(row) {
			key := duplicateKey(row)
			alike[key] = append(alike[key], row)
		}
	}
	for _, same := range alike {
		plan.unite(same)
	}
	return plan.ordered()
}

// unite promotes the best of several duplicates to the user, and merges the others into it, if together they have
// enough evidence.
func (p *Plan) unite(same []memory.Row) {
	slices.SortFunc(same, better)
	projects, uses, most, importance := map[string]bool{}, 0, 0, 0.0
	for _, row := range same {
		projects[row.Memory.Project] = true
		uses, most, importance = uses+row.Uses, max(most, row.Projects), max(importance, row.Memory.Importance)
	}
	if projects[""] { // the memory is in user scope already
		return
	}
	survivor, count := same[0], max(most, len(projects))
	if !isLasting(survivor.Memory) || importance < UserImportance || uses < UserUses || count < UserProjects {
		return
	}
	s, reason := survivor.State(), fmt.Sprintf("from project to user: importance %.2f, %s, seen in %s",
		importance, memory.Counted(uses, "use"), memory.Counted(count, "project"))
	if others := slices.DeleteFunc(slices.Clone(same[1:]), func(r memory.Row) bool { return r.Memory.Pinned }); len(others) > 0 {
		merged, with := p.mergeInto(survivor, others, "the same in another project")
		s, reason = merged, with+"; "+reason
	}
	s.Scope, s.Project, s.Projects = memory.ScopeUser, "", count
	p.change(KindPromote, survivor, s, reason)
}
