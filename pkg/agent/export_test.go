package agent

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// SaveInjections does now what the service does between callers.
func (a *Agent) SaveInjections(ctx context.Context) { a.saveInjections(ctx) }

// Reload does now what the service does between callers.
func (a *Agent) Reload(ctx context.Context) { a.reload(ctx) }

// PlanSubagent is the service's handler without a service.
func (a *Agent) PlanSubagent(session, kind, task string) { a.subagents.add(session, kind, task) }

// EmbedAll does now what the service does between callers.
func (a *Agent) EmbedAll(ctx context.Context) { a.embed(ctx) }

// VectorsHeld is what the service's status tells.
func (a *Agent) VectorsHeld() int { return a.meanings.count() }

// NearOf compares with vectors as the agent does.
func NearOf(vectors []memory.Vector) func(query []float32, least float64) []memory.Near {
	set := &recall.Vectors{}
	set.Add(vectors)
	return set.Near
}
