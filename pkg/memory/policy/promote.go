package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy/rules"
)

// Promote plans how far memories reach: from the session to the project, from the project to the
// user, and back when their importance has fallen by the rules' margin and no evidence supports them.
// Duplicates in several projects are evidence for each other, and become one row of the user's.
// Reported rows (memory.Memory.IsHearsay) never become the user's.
//
// The id of a promoted row does not change.
func Promote(now Now, rows []Row) (Plan, error) {
	if err := validate(now, rows); err != nil {
		return Plan{}, fmt.Errorf("plan promotion: %w", err)
	}
	p := promotion{draft: newDraft(rows), now: now, held: map[string]float64{}}
	ordered := byID(rows)
	for _, row := range ordered {
		if row.mayMove() && row.Memory.Scope == memory.ScopeSession {
			p.toProject(row)
		}
	}
	p.toUser(ordered)
	for _, row := range ordered {
		if _, changed := p.after[row.Memory.ID]; !changed && row.mayMove() {
			p.demote(row)
		}
	}
	return p.plan(), nil
}

type promotion struct {
	*draft
	now  Now
	held map[string]float64 // importance of the most important duplicate, by the id of the user's row
}

func (p *promotion) toProject(row Row) {
	reason := p.worthProject(row)
	if reason == "" {
		return
	}
	s := row.State()
	s.Scope = memory.ScopeProject
	if s.Home == "" {
		s.Home = s.Project
	}
	p.change(KindPromote, row.With(s), "from session to project: "+reason)
}

// worthProject explains why a memory should reach the whole project; empty if it should not.
func (p *promotion) worthProject(row Row) string {
	switch {
	case row.Sessions >= rules.ProjectSessions:
		return "seen in " + times(row.Sessions, "session")
	case row.Memory.Importance >= rules.ProjectImportance && row.Uses >= rules.ProjectUses:
		return fmt.Sprintf("importance %.2f, %s", row.Memory.Importance, times(row.Uses, "use"))
	}
	return ""
}

// toUser promotes rows with enough evidence in several projects to the user. It compares the rows of all projects.
func (p *promotion) toUser(ordered []Row) {
	alike, keys := map[string][]Row{}, []string{}
	for _, before := range ordered {
		row, _ := p.row(before.Memory.ID)
		if !row.isCurrent() || row.Memory.Scope == memory.ScopeSession {
			continue
		}
		key := row.duplicateKey()
		if alike[key] == nil {
			keys = append(keys, key)
		}
		alike[key] = append(alike[key], row)
	}
	for _, key := range keys {
		p.unite(alike[key])
	}
}

// unite promotes the best of several duplicates to the user, and merges the others into it, if together they have
// enough evidence. Rows that this plan demotes to their project do not count.
func (p *promotion) unite(same []Row) {
	same = slices.DeleteFunc(same, func(r Row) bool { return !r.isEvidence() || r.goesHome() })
	if len(same) == 0 {
		return
	}
	slices.SortFunc(same, better)
	projects, uses, most, importance := map[string]bool{}, 0, 0, 0.0
	for _, row := range same {
		projects[row.Memory.Project] = true
		uses, most, importance = uses+row.Uses, max(most, row.Projects), max(importance, row.Memory.Importance)
	}
	if projects[""] { // in user scope already
		for _, row := range same {
			p.held[row.Memory.ID] = importance
		}
		return
	}
	survivor, count := same[0], max(most, len(projects))
	if !isLasting(survivor.Memory) || importance < rules.UserImportance || uses < rules.UserUses || count < rules.UserProjects {
		return
	}
	others := slices.DeleteFunc(slices.Clone(same[1:]), func(r Row) bool { return r.Memory.Pinned })
	age := survivor.age(p.now)
	for _, row := range others {
		age = min(age, row.age(p.now))
	}
	if len(others) > 0 {
		survivor = p.mergeInto(survivor, others, func(Row) string { return "the same in another project" })
	}
	s := survivor.State()
	s.Home = cmp.Or(s.Home, s.Project)
	s.Scope, s.Project, s.Projects = memory.ScopeUser, "", count
	s.UsedOn = max(0, p.now.ActiveDays[""]-age) // the user's clock differs from the project's
	p.change(KindPromote, survivor.With(s), fmt.Sprintf("from project to user: importance %.2f, %s, seen in %s",
		importance, times(uses, "use"), times(count, "project")))
}

// goesHome reports whether a row leaves user scope whatever the other rows are.
func (r Row) goesHome() bool {
	return r.Memory.Scope == memory.ScopeUser && r.Home != "" && r.Memory.IsHearsay() && r.mayMove() && !r.Protected()
}

// isOfProject reports whether a row is about the project, whatever its importance. The user's statements and a
// model's facts are.
func (r Row) isOfProject() bool {
	return r.Memory.Source == memory.SourceUser || r.Memory.IsFact()
}

// demote narrows the scope of rows whose importance fell by the margin. Whatever would promote a row
// also keeps it there, so that no row alternates between scopes.
func (p *promotion) demote(row Row) {
	if row.Protected() {
		return
	}
	var reasons []string
	heard, faded := row.Memory.IsHearsay(), p.held[row.Memory.ID] < rules.UserImportance-rules.Margin
	if row.Memory.Scope == memory.ScopeUser && row.Home != "" && (heard || faded) {
		if _, known := p.now.ActiveDays[row.Home]; !known {
			p.note(fmt.Sprintf("memory %s stays with the user: the active days of its project %s are not given",
				row.Memory.ID, row.Home))
			return
		}
		s, age := row.State(), row.age(p.now)
		s.Scope, s.Project = memory.ScopeProject, row.Home
		s.UsedOn = max(0, p.now.ActiveDays[row.Home]-age)
		why := fmt.Sprintf("importance %.2f is below %.2f", row.Memory.Importance, rules.UserImportance-rules.Margin)
		if heard {
			why = "it is only reported, by " + cmp.Or(string(row.Memory.Source), "nobody known")
		}
		reasons = append(reasons, "from user to project: "+why)
		row = row.With(s)
	}
	if row.Memory.Scope == memory.ScopeProject && !row.isOfProject() &&
		row.Memory.Importance < rules.ProjectImportance-rules.Margin &&
		row.Uses < rules.ProjectUses && row.Sessions < rules.ProjectSessions {
		reasons = append(reasons, fmt.Sprintf("from project to session: importance %.2f is below %.2f, %s, seen in %s",
			row.Memory.Importance, rules.ProjectImportance-rules.Margin, times(row.Uses, "use"), times(row.Sessions, "session")))
		s := row.State()
		s.Scope = memory.ScopeSession
		row = row.With(s)
	}
	if len(reasons) > 0 {
		p.change(KindDemote, row, strings.Join(reasons, "; "))
	}
}
