package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/jobs"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	listedRuns   = 40
	shownActions = 200 // of one run
)

// maintenance is the data of the list of runs.
type maintenance struct {
	Jobs  []jobs.Job
	Runs  []memory.Run
	Freed plot
	Burst *agentapi.BurstStatus // that maintenance gives way to; nil: there is none
}

func (p *pages) maintenance(ctx context.Context, _ visit) (page, error) {
	runs, err := ask(ctx, p.agent, agentapi.MethodRuns, listedRuns)
	if err != nil {
		return page{}, err
	}
	burst, err := ask(ctx, p.agent, agentapi.MethodBurst, agentapi.None{})
	return page{"maintenance", "Maintenance", maintenance{jobs.All(), runs, freedPlot(runs), burst}}, err
}

// freedPlot shows the tokens that the listed runs have freed in all, run by run.
func freedPlot(runs []memory.Run) plot {
	var at, freed []float64
	sum := 0.0
	for _, run := range slices.Backward(runs) {
		if run.TokensFreed > 0 {
			sum += float64(run.TokensFreed)
			at, freed = append(at, float64(run.StartedAt.Unix())), append(freed, sum)
		}
	}
	if len(at) < 2 {
		return plot{}
	}
	return plot{Title: "Tokens freed by these runs", Across: "time", Dates: true, Lines: []string{"tokens"}, Values: [][]float64{at, freed}}
}

// plan is the data of the actions of a dry run, or of a past run.
type plan struct {
	Job  string // of the plan; empty: all
	Dry  bool
	Runs []planned
}

// Nothing tells that a dry run would change nothing, and that no job failed.
func (p plan) Nothing() bool {
	return p.Dry && !slices.ContainsFunc(p.Runs, func(run planned) bool { return run.Changed > 0 || run.Error != "" })
}

// Examined is the most rows that a job has looked at.
func (p plan) Examined() (most int) {
	for _, run := range p.Runs {
		most = max(most, run.Examined)
	}
	return most
}

// planned is a run with the first of its actions.
type planned struct {
	memory.Run
	Shown []action
	Left  int // actions that are not shown
}

// action is a change with the names of the fields that it changes.
type action struct {
	memory.Action
	Fields []string
}

func planOf(run memory.Run) planned {
	shown := planned{Run: run, Left: max(0, len(run.Actions)-shownActions)}
	for _, a := range run.Actions[:min(shownActions, len(run.Actions))] {
		shown.Shown = append(shown.Shown, action{a, a.After.Changed(a.Before)})
	}
	return shown
}

// plan is a dry run: it changes nothing.
func (p *pages) plan(ctx context.Context, v visit) (page, error) {
	job := v.URL.Query().Get("job")
	runs, err := p.consolidate(ctx, job, true)
	if err != nil {
		return page{}, err
	}
	data := plan{Job: job, Dry: true}
	for _, run := range runs {
		data.Runs = append(data.Runs, planOf(run))
	}
	return page{"plan", "What maintenance would do", data}, nil
}

func (p *pages) consolidate(ctx context.Context, job string, dry bool) ([]memory.Run, error) {
	if job != "" && !slices.Contains(jobs.Names(), job) {
		return nil, fmt.Errorf("there is no job %q: %w", job, memory.ErrInvalid)
	}
	return ask(ctx, p.agent, agentapi.MethodConsolidate, agentapi.ConsolidateParams{Trigger: memory.ByDashboard, Job: job, DryRun: dry})
}

// run shows one run with its actions.
func (p *pages) run(ctx context.Context, v visit) (page, error) {
	run, err := ask(ctx, p.agent, agentapi.MethodRun, v.PathValue("run"))
	return page{"plan", "Run of " + run.Job, plan{Job: run.Job, Runs: []planned{planOf(run)}}}, err
}

// apply runs the jobs that a plan was shown of.
func (p *pages) apply(w http.ResponseWriter, r *http.Request) {
	v, err := p.visit(r)
	var runs []memory.Run
	if err == nil {
		runs, err = p.consolidate(r.Context(), r.PostFormValue("job"), false)
	}
	if err != nil {
		p.fail(w, v, r, err)
		return
	}
	done, changed := "idle", ""
	for _, run := range runs {
		if run.Changed > 0 && changed == "" {
			done, changed = "applied", run.ID
		} else if run.Changed > 0 { // several: each is undone from the list
			done, changed = "appliedAll", run.ID
		}
	}
	p.back(w, r, done, changed)
}
