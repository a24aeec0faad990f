package dashboard

import (
	"context"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// state is the data of how agent, engine, store and plugin are.
type state struct {
	agentapi.StatusResult
	Findings findings
	Wrong    []Finding
}

// state shows the state of agent, engine and store, and the findings of memory doctor.
// That takes a second or more, so it is a page of its own that the first page loads
// later.
func (p *pages) state(ctx context.Context, v visit) (page, error) {
	status, err := ask(ctx, p.agent, agentapi.MethodStatus, agentapi.None{})
	data := state{StatusResult: status}
	if p.health != nil {
		chosen := memory.Project{Key: v.project}
		if at := slices.IndexFunc(v.projects, func(one memory.Project) bool { return one.Key == v.project }); at >= 0 {
			chosen = v.projects[at]
		}
		data.Findings = p.health.of(ctx, chosen)
		for _, f := range data.Findings.All {
			if f.Severity != "ok" {
				data.Wrong = append(data.Wrong, f)
			}
		}
	}
	return page{"state", "The agent", data}, err
}
