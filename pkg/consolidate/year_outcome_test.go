package consolidate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
)

// check asserts what the year was lived for.
func (y *year) check(t *testing.T) {
	for _, err := range y.failed {
		t.Errorf("a job failed: %v", err)
	}
	slots := (int(lifeEnds().Sub(yearBegins).Hours()) + 23) / 24
	for _, job := range schedule.JobNames() {
		if y.ran[job] != slots {
			t.Errorf("%s ran %d times, want once for each of its %d slots", job, y.ran[job], slots)
		}
	}
	for _, project := range append(slices.Clone(yearProjects), "") {
		y.checkBudgets(t, project)
	}
	if isWholeYear() && y.forRoom == 0 {
		t.Error("nothing was ever archived for room: the budgets do not matter")
	}
	rows := rowsOf(t, y.store)
	if want := len(y.learned); len(rows) != want {
		t.Errorf("%d rows, want the %d that were ingested", len(rows), want)
	}
	if !isWholeYear() {
		return // the planted memories come to their ends later
	}
	o := outcomes{rows}
	for _, g := range y.plan.groups {
		if len(g.members) == 0 {
			t.Errorf("%s: nothing was planted", g.name)
		}
		for _, m := range g.members {
			if state, right := g.outcome(o, m); !right {
				t.Errorf("%s: %s\n%s", g.name, state, m.describe(rows))
			}
		}
	}
}

// checkBudgets asserts that the active memories of a project, or of the user (""), are within their budgets.
func (y *year) checkBudgets(t *testing.T, project string) {
	t.Helper()
	budgets, tokens := map[memory.Scope]int{memory.ScopeProject: yearProjectBudget, memory.ScopeUser: yearUserBudget}, map[memory.Scope]int{}
	for _, row := range rowsOf(t, y.store) {
		if row.Memory.Project == project && row.Memory.Status == memory.StatusActive {
			tokens[row.Memory.Scope] += y.counter.Count(render.Line(row.Memory))
		}
	}
	for scope, budget := range budgets {
		if tokens[scope] > budget {
			t.Errorf("scope %s of %q ends with %d tokens in sight, its budget is %d", scope, project, tokens[scope], budget)
		}
	}
}

// describe shows the history of a planted member.
func (p planted) describe(rows map[string]memory.Row) string {
	var text strings.Builder
	for _, l := range p.mentions {
		row := rows[l.id()]
		fmt.Fprintf(&text, "  %s %s %s: %q\n    %s, %s of %q, seen %d times from %s to %s, %d uses, superseded by %q, merged into %q\n",
			l.at.Format(time.DateOnly), l.project, l.kind, l.text, row.Memory.Status, row.Memory.Scope, row.Memory.Project, row.Sessions,
			row.Memory.CreatedAt.Format(time.DateOnly), row.Memory.LastSeenAt.Format(time.DateOnly), row.Uses, row.SupersededBy, row.MergedInto)
	}
	return text.String()
}
