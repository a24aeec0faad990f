package dashboard

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// overview is the data of the first page.
type overview struct {
	Status  agentapi.StatusResult
	Holding memory.Holding // of the chosen project
	Latest  []memory.Memory
	Runs    []memory.Run
}

// How much of each the first page shows.
const (
	shownLatest = 8
	shownRuns   = 6
)

func (p *pages) overview(ctx context.Context, v visit) (page, error) {
	var data overview
	var err error
	if data.Status, err = ask(ctx, p.agent, agentapi.MethodStatus, agentapi.None{}); err != nil {
		return page{}, err
	}
	listed, err := ask(ctx, p.agent, agentapi.MethodList, agentapi.ListParams{Project: v.project, Limit: shownLatest})
	if err != nil {
		return page{}, err
	}
	data.Latest = listed.Memories
	if data.Runs, err = ask(ctx, p.agent, agentapi.MethodRuns, shownRuns); err != nil {
		return page{}, err
	}
	for _, one := range v.projects {
		if one.Key == v.project {
			data.Holding = one.Holding
		}
	}
	return page{"overview", "Overview", data}, nil
}
