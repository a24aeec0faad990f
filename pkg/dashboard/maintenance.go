package dashboard

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

const (
	listedRuns   = 40
	shownActions = 200 // most actions shown of one run
)

func (p *pages) maintenance(v *visit) page {
	return page{"maintenance", "Maintenance", ask(v, daemonapi.MethodRuns, listedRuns)}
}

// shownRun is a run with its first actions.
type shownRun struct {
	memory.Run
	Shown []memory.Action
	Left  int // number of actions that are not shown
}

func (p *pages) run(v *visit) page {
	run := ask(v, daemonapi.MethodRun, v.PathValue("run"))
	shown := run.Actions[:min(shownActions, len(run.Actions))]
	return page{"run", "Run of " + run.Job, shownRun{run, shown, len(run.Actions) - len(shown)}}
}
