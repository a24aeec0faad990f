package dashboard

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

const (
	listedRuns   = 40
	shownActions = 200 // most actions shown of one run
)

// maintenance lists the newest runs.
func (p *pages) maintenance(v *visit) page {
	return page{"maintenance", "Maintenance", ask(v, daemonapi.MethodRuns, listedRuns)}
}

// shownRun is a run with its first actions.
type shownRun struct {
	memory.Run
	Shown []action
	Left  int // number of actions that are not shown
}

// action is a change, with the names of the changed fields.
type action struct {
	memory.Action
	Fields []string
}

func shownRunOf(run memory.Run) shownRun {
	shown := shownRun{Run: run, Left: max(0, len(run.Actions)-shownActions)}
	for _, a := range run.Actions[:min(shownActions, len(run.Actions))] {
		shown.Shown = append(shown.Shown, action{a, a.After.Changed(a.Before)})
	}
	return shown
}

// run shows one run with its actions.
func (p *pages) run(v *visit) page {
	run := ask(v, daemonapi.MethodRun, v.PathValue("run"))
	return page{"run", "Run of " + run.Job, shownRunOf(run)}
}
