package policy

import (
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Promote plans wider scopes: from the session to the project, and from the project to the user. Duplicates in
// several projects are evidence for each other, and become one row of the user's. Reported rows
// (memory.Memory.IsHearsay) never become the user's. No plan narrows a scope: a person does (memory edit --scope project).
//
// The id of a promoted row does not change.
func Promote(rows []Row) Plan {
	var plan Plan
	alike, reasons := map[string][]Row{}, map[string]string{}
	for _, row := range rows {
		if row.Memory.Scope == memory.ScopeSession {
			reasons[row.Memory.ID] = whyProject(row)
		}
		if row.isCurrent() && (row.Memory.Scope != memory.ScopeSession || reasons[row.Memory.ID] != "") {
			key := row.duplicateKey()
			alike[key] = append(alike[key], row)
		}
	}
	for _, same := range alike {
		united := plan.unite(same)
		for _, row := range same {
			if reason := reasons[row.Memory.ID]; reason != "" && !united[row.Memory.ID] {
				s := row.State()
				s.Scope = memory.ScopeProject
				plan.change(KindPromote, row, s, "from session to project: "+reason)
			}
		}
	}
	return plan.ordered()
}

// whyProject returns the reason why a row of a session is to become its project's, or "".
func whyProject(row Row) string {
	switch {
	case !row.mayMove():
		return ""
	case row.Sessions >= ProjectSessions:
		return "seen in " + times(row.Sessions, "session")
	case row.Memory.Importance >= ProjectImportance && row.Uses >= ProjectUses:
		return fmt.Sprintf("importance %.2f, %s", row.Memory.Importance, times(row.Uses, "use"))
	}
	return ""
}

// unite promotes the best of several duplicates to the user, and merges the others into it, if together they have
// enough evidence. It returns the ids of the changed rows.
func (p *Plan) unite(same []Row) (changed map[string]bool) {
	same = slices.DeleteFunc(slices.Clone(same), func(r Row) bool { return !r.isEvidence() })
	if len(same) == 0 {
		return nil
	}
	slices.SortFunc(same, better)
	projects, uses, most, importance := map[string]bool{}, 0, 0, 0.0
	for _, row := range same {
		projects[row.Memory.Project] = true
		uses, most, importance = uses+row.Uses, max(most, row.Projects), max(importance, row.Memory.Importance)
	}
	if projects[""] { // the memory is in user scope already
		return nil
	}
	survivor, count := same[0], max(most, len(projects))
	if !isLasting(survivor.Memory) || importance < UserImportance || uses < UserUses || count < UserProjects {
		return nil
	}
	s, reason := survivor.State(), fmt.Sprintf("from %s to user: importance %.2f, %s, seen in %s",
		survivor.Memory.Scope, importance, times(uses, "use"), times(count, "project"))
	changed = map[string]bool{survivor.Memory.ID: true}
	if others := slices.DeleteFunc(slices.Clone(same[1:]), func(r Row) bool { return r.Memory.Pinned }); len(others) > 0 {
		merged, with := p.mergeInto(survivor, others, "the same in another project")
		s, reason = merged, with+"; "+reason
		for _, other := range others {
			changed[other.Memory.ID] = true
		}
	}
	s.Scope, s.Project, s.Projects = memory.ScopeUser, "", count
	p.change(KindPromote, survivor, s, reason)
	return changed
}
