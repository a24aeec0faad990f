package dashboard

import (
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/schedule"
)

const (
	listedRuns   = 40
	shownActions = 200 // of one run
)

// maintenance is the data of the list of runs.
type maintenance struct {
	Jobs  []schedule.Job
	Runs  []memory.Run
	Burst *agentapi.BurstStatus // that maintenance gives way to; nil: there is none
}

func (p *pages) maintenance(v *visit) page {
	return page{"maintenance", "Maintenance", maintenance{
		Jobs: schedule.Jobs(), Runs: ask(v, agentapi.MethodRuns, listedRuns), Burst: ask(v, agentapi.MethodBurst, agentapi.None{}),
	}}
}

// plan is the data of the actions of a dry run, or of a past run.
type plan struct {
	Job  string // of the plan; empty: all
	Dry  bool
	Runs []plannedRun
}

// Nothing tells that a dry run would change nothing, and that no job failed.
func (p plan) Nothing() bool {
	return p.Dry && !slices.ContainsFunc(p.Runs, func(run plannedRun) bool { return run.Changed > 0 || run.Error != "" })
}

// Examined is the most rows that a job has looked at.
func (p plan) Examined() (most int) {
	for _, run := range p.Runs {
		most = max(most, run.Examined)
	}
	return most
}

// plannedRun is a run with the first of its actions.
type plannedRun struct {
	memory.Run
	Shown []action
	Left  int // actions that are not shown
}

// action is a change with the names of the fields that it changes.
type action struct {
	memory.Action
	Fields []string
}

func planOf(run memory.Run) plannedRun {
	shown := plannedRun{Run: run, Left: max(0, len(run.Actions)-shownActions)}
	for _, a := range run.Actions[:min(shownActions, len(run.Actions))] {
		shown.Shown = append(shown.Shown, action{a, a.After.Changed(a.Before)})
	}
	return shown
}

// plan is a dry run: it changes nothing.
func (p *pages) plan(v *visit) page {
	data := plan{Job: v.URL.Query().Get("job"), Dry: true}
	for _, run := range consolidate(v, data.Job, true) {
		data.Runs = append(data.Runs, planOf(run))
	}
	return page{"plan", "Dry run of maintenance", data}
}

func consolidate(v *visit, job string, dry bool) []memory.Run {
	if job != "" && !slices.Contains(schedule.JobNames(), job) {
		v.err = fmt.Errorf("there is no job %q: %w", job, memory.ErrInvalid)
	}
	return ask(v, agentapi.MethodConsolidate, agentapi.ConsolidateParams{Trigger: memory.ByDashboard, Job: job, DryRun: dry})
}

// run shows one run with its actions.
func (p *pages) run(v *visit) page {
	run := ask(v, agentapi.MethodRun, v.PathValue("run"))
	return page{"plan", "Run of " + run.Job, plan{Job: run.Job, Runs: []plannedRun{planOf(run)}}}
}

// apply runs the jobs that a plan was shown of.
func (p *pages) apply(v *visit) (done, run string) {
	done = "idle"
	for _, one := range consolidate(v, v.PostFormValue("job"), false) {
		switch {
		case one.Changed == 0:
		case done == "idle":
			done, run = "applied", one.ID
		default: // several: each is undone from the list
			done, run = "appliedAll", ""
		}
	}
	return done, run
}
