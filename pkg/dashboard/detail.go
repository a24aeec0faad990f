package dashboard

import (
	"context"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// detail is the data of the page of one memory.
type detail struct {
	Row     memory.Row
	Scopes  []memory.Scope // that it could be promoted to
	Why     agentapi.Explanation
	History memory.History
	Plot    plot
	Related []related
	Graph   graph
	names   sessionNames
}

// Session is the link to a session in which the memory was said or told at a time.
func (d detail) Session(id string, at time.Time) sessionLink {
	return d.names.link(d.Row.Memory.Project, id, at)
}

func (p *pages) detail(ctx context.Context, v visit) (page, error) {
	id := v.PathValue("id")
	told, err := ask(ctx, p.agent, agentapi.MethodHistory, agentapi.HistoryParams{Project: v.project, ID: id})
	if err != nil {
		return page{}, err
	}
	data := detail{Row: told.Row, History: told.History, Related: relatedTo(told.Row)}
	if data.Why, err = ask(ctx, p.agent, agentapi.MethodExplain, agentapi.ExplainParams{Project: v.project, ID: told.Row.Memory.ID}); err != nil {
		return page{}, err
	}
	if data.Graph, err = p.graphOf(ctx, v, told.Row); err != nil {
		return page{}, err
	}
	if data.names, err = p.sessionNames(ctx, v.project); err != nil {
		return page{}, err
	}
	switch told.Row.Memory.Scope {
	case memory.ScopeSession:
		data.Scopes = []memory.Scope{memory.ScopeProject, memory.ScopeUser}
	case memory.ScopeProject:
		data.Scopes = []memory.Scope{memory.ScopeUser}
	}
	data.Plot = strengthPlot(data.Why)
	return page{"detail", "Memory " + memory.ShortID(told.Row.Memory.ID), data}, nil
}

// strengthPlot is how the memory fades from its last use on.
func strengthPlot(why agentapi.Explanation) plot {
	days, limit := make([]float64, len(why.Curve)), make([]float64, len(why.Curve))
	for i := range days {
		days[i], limit[i] = float64(i), why.ArchiveBelow
	}
	return plot{
		Title: "Strength", Across: "active days after its last use", Lines: []string{"strength", "archived below"},
		Values: [][]float64{days, why.Curve, limit},
	}
}
