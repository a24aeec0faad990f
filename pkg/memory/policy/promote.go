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
	p := promotion{newDraft(rows)}
	for _, row := range rows {
		if row.mayMove() && row.Memory.Scope == memory.ScopeSession {
			p.toProject(row)
		}
	}
	p.toUser(rows)
	return p.plan()
}

type promotion struct{ *draft }

func (p *promotion) toProject(row Row) {
	reason := ""
	switch {
	case row.Sessions >= ProjectSessions:
		reason = "seen in " + times(row.Sessions, "session")
	case row.Memory.Importance >= ProjectImportance && row.Uses >= ProjectUses:
		reason = fmt.Sprintf("importance %.2f, %s", row.Memory.Importance, times(row.Uses, "use"))
	default:
		return
	}
	s := row.State()
	s.Scope = memory.ScopeProject
	p.change(KindPromote, row.With(s), "from session to project: "+reason)
}

// toUser promotes rows with enough evidence in several projects to the user. It compares the rows of all projects.
func (p *promotion) toUser(rows []Row) {
	alike := map[string][]Row{}
	for _, before := range rows {
		row, _ := p.row(before.Memory.ID)
		if !row.isCurrent() || row.Memory.Scope == memory.ScopeSession {
			continue
		}
		key := row.duplicateKey()
		alike[key] = append(alike[key], row)
	}
	for _, same := range alike {
		p.unite(same)
	}
}

// unite promotes the best of several duplicates to the user, and merges the others into it, if together they have
// enough evidence.
func (p *promotion) unite(same []Row) {
	same = slices.DeleteFunc(same, func(r Row) bool { return !r.isEvidence() })
	if len(same) == 0 {
		return
	}
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
	others := slices.DeleteFunc(slices.Clone(same[1:]), func(r Row) bool { return r.Memory.Pinned })
	if len(others) > 0 {
		survivor = p.mergeInto(survivor, others, "the same in another project")
	}
	s := survivor.State()
	s.Scope, s.Project, s.Projects = memory.ScopeUser, "", count
	p.change(KindPromote, survivor.With(s), fmt.Sprintf("from project to user: importance %.2f, %s, seen in %s",
		importance, times(uses, "use"), times(count, "project")))
}
