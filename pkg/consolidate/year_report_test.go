package consolidate_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// tally counts the actions of runs.
type tally struct {
	runs, changing int
	kinds          map[string]int // changes by kind
	freed          int            // tokens
}

func (t *tally) add(run memory.Run) {
	t.runs++
	if run.Changed > 0 {
		t.changing++
	}
	t.freed += run.TokensFreed
	if t.kinds == nil {
		t.kinds = map[string]int{}
	}
	for _, a := range run.Actions {
		t.kinds[a.Kind]++
	}
}

// month is the state at the end of a month, and the changes in it.
type month struct {
	name     string
	statuses map[memory.Status]int
	tokens   map[string]int // in sight, by budget scope that has a budget
	budgets  map[string]int
	tally    tally
}

// monthsUntil ends the months that are over by then.
func (y *year) monthsUntil(t *testing.T, at time.Time) {
	t.Helper()
	for now := time.Now(); ; now = time.Now() {
		end := time.Date(now.Year(), now.Month()+1, 1, 6, 0, 0, 0, time.UTC)
		if !end.Before(at) {
			return
		}
		time.Sleep(time.Until(end))
		y.endMonth(t, end.AddDate(0, 0, -1))
	}
}

func (y *year) endMonth(t *testing.T, at time.Time) {
	t.Helper()
	m := month{name: at.Format("2006-01"), statuses: map[memory.Status]int{}, tokens: map[string]int{}, budgets: map[string]int{}}
	for _, row := range rowsOf(t, y.store) {
		m.statuses[row.Memory.Status]++
	}
	for _, project := range append(slices.Clone(yearProjects), "") {
		totals, err := y.store.Totals(t.Context(), memory.Budgets{Project: project, Retired: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		for _, total := range totals.Budgets {
			switch total.Scope {
			case memory.ScopeProject:
				m.tokens[project], m.budgets[project] = total.Tokens, yearProjectBudget
			case memory.ScopeUser:
				m.tokens["user"], m.budgets["user"] = total.Tokens, yearUserBudget
			default: // memories of one session have no budget
			}
		}
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	m.tally, y.tally = y.tally, tally{}
	y.months = append(y.months, m)
}

// check asserts the purpose of the year, whatever the golden file has.
func (y *year) check(t *testing.T) {
	for _, err := range y.failed {
		t.Errorf("a job failed: %v", err)
	}
	slots := int(lifeEnds().Sub(yearBegins).Hours())
	for _, job := range schedule.JobNames() {
		want := slots
		if job == schedule.Prune {
			want = (slots + 23) / 24
		}
		if y.ran[job] != want {
			t.Errorf("%s ran %d times, want once for each of its %d slots", job, y.ran[job], want)
		}
	}
	last := y.months[len(y.months)-1]
	for scope, budget := range last.budgets {
		if last.tokens[scope] > budget {
			t.Errorf("%s ends with %d tokens in sight, its budget is %d", scope, last.tokens[scope], budget)
		}
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

// report describes the year: a table of months, and the
// outcome of the planted rows.
func (y *year) report(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "A simulated year: %d sessions in the projects %s; budgets of %d tokens a project and %d for the user.\n",
		len(y.plan.sessions), strings.Join(yearProjects, ", "), yearProjectBudget, yearUserBudget)
	fmt.Fprintf(&out, "Uses: %d; of memories that were out of sight and so could not be used: %d; archived for room: %d.\n\n",
		y.usesMade, y.unUsed, y.forRoom)
	y.table(&out, "Rows by status, at the end of each month", "active consolidated archived forgotten", func(m month) []any {
		return []any{
			m.statuses[memory.StatusActive], m.statuses[memory.StatusConsolidated],
			m.statuses[memory.StatusArchived], m.statuses[memory.StatusForgotten],
		}
	})
	y.table(&out, "Tokens in sight, at the end of each month", strings.Join(yearProjects, " ")+" project-budget user user-budget", func(m month) []any {
		var cells []any
		for _, project := range yearProjects {
			cells = append(cells, m.tokens[project])
		}
		return append(cells, yearProjectBudget, m.tokens["user"], yearUserBudget)
	})
	kinds := []string{"consolidate", "supersede", "reinstate", "promote", "demote", "archive", "forget"}
	y.table(&out, "Runs and changes, in each month",
		"runs changing merged superseded reinstated promoted demoted archived forgotten freed", func(m month) []any {
			cells := []any{m.tally.runs, m.tally.changing}
			for _, kind := range kinds {
				cells = append(cells, m.tally.kinds[kind])
			}
			return append(cells, m.tally.freed)
		})
	o := outcomes{rowsOf(t, y.store)}
	fmt.Fprintln(&out, "The planted memories, and their final states")
	for _, g := range y.plan.groups {
		count := map[string]int{}
		for _, m := range g.members {
			state, _ := g.outcome(o, m)
			count[state]++
		}
		fmt.Fprintf(&out, "\n%s: %d\n", g.name, len(g.members))
		for _, state := range slices.Sorted(maps.Keys(count)) {
			fmt.Fprintf(&out, "  %4d  %s\n", count[state], state)
		}
	}
	return out.String()
}

func (y *year) table(out *strings.Builder, title, columns string, cells func(month) []any) {
	fmt.Fprintln(out, title)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(w, "month\t%s\t\n", strings.Join(strings.Fields(columns), "\t"))
	for _, m := range y.months {
		_, _ = fmt.Fprintf(w, "%s\t", m.name)
		for _, cell := range cells(m) {
			_, _ = fmt.Fprintf(w, "%v\t", cell)
		}
		_, _ = fmt.Fprintln(w)
	}
	_ = w.Flush() // into memory
	fmt.Fprintln(out)
}
