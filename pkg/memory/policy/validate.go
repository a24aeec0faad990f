package policy

import (
	"fmt"
	"math"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// validate returns ErrInconsistent for input that contradicts itself, so that no plan is made.
func validate(now Now, rows []Row) error {
	if now.Time.IsZero() {
		return fmt.Errorf("now is the zero time: %w", ErrInconsistent)
	}
	for project, days := range now.ActiveDays {
		if !natural(days) {
			return fmt.Errorf("project %q has %v active days: %w", project, days, ErrInconsistent)
		}
	}
	seen := make(map[string]bool, len(rows))
	for _, row := range rows {
		id := row.Memory.ID
		if seen[id] {
			return fmt.Errorf("memory %s occurs twice: %w", id, ErrInconsistent)
		}
		seen[id] = true
		if problem := row.problem(now); problem != "" {
			return fmt.Errorf("memory %q %s: %w", id, problem, ErrInconsistent)
		}
	}
	return nil
}

// problem describes how a row contradicts itself; empty if it does not.
func (r Row) problem(now Now) string {
	m := r.Memory
	switch {
	case m.ID == "":
		return "has no id"
	case !(m.Importance >= 0 && m.Importance <= 1): // also NaN
		return fmt.Sprintf("has importance %v, which is not from 0 to 1", m.Importance)
	case m.TokenCount < 0:
		return fmt.Sprintf("counts %d tokens", m.TokenCount)
	case r.Uses < 0 || r.Sessions < 0 || r.Projects < 0:
		return fmt.Sprintf("counts %d uses, %d sessions, %d projects", r.Uses, r.Sessions, r.Projects)
	case r.UsedOn < 0:
		return fmt.Sprintf("was used on active day %v: the active day of its last use must be computed first", r.UsedOn)
	case !natural(r.UsedOn):
		return fmt.Sprintf("was used on active day %v", r.UsedOn)
	case r.SupersededBy == m.ID:
		return "supersedes itself"
	case r.MergedInto == m.ID:
		return "is merged into itself"
	}
	if problem := classification(m); problem != "" {
		return problem
	}
	if _, known := now.ActiveDays[r.Clock()]; !known {
		return fmt.Sprintf("ages by the active days of project %q, which are not given", r.Clock())
	}
	return ""
}

func classification(m memory.Memory) string {
	switch {
	case !slices.Contains([]memory.Type{
		memory.TypeEpisodic, memory.TypeSemantic,
		memory.TypeProcedural,
	}, m.Type):
		return fmt.Sprintf("has an unknown type %q", m.Type)
	case !slices.Contains(statuses, m.Status):
		return fmt.Sprintf("has an unknown status %q", m.Status)
	case m.Scope != memory.ScopeUser && m.Scope != memory.ScopeProject && m.Scope != memory.ScopeSession:
		return fmt.Sprintf("has an unknown scope %q", m.Scope)
	case m.Scope == memory.ScopeUser && m.Project != "":
		return fmt.Sprintf("is the user's and of project %q at once", m.Project)
	case m.Scope != memory.ScopeUser && m.Project == "":
		return "is of no project"
	}
	return ""
}

var statuses = []memory.Status{
	memory.StatusActive, memory.StatusConsolidated, memory.StatusArchived, memory.StatusForgotten, memory.StatusQuarantined,
}

// natural reports whether a number is finite and not negative.
func natural(value float64) bool { return value >= 0 && !math.IsInf(value, 1) }
