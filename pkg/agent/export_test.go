package agent

import "context"

// SaveInjections does now what the service does between callers.
func (a *Agent) SaveInjections(ctx context.Context) { a.saveInjections(ctx) }

// Reload does now what the service does between callers.
func (a *Agent) Reload(ctx context.Context) { a.reload(ctx) }

// PlanSubagent is the service's handler without a service.
func (a *Agent) PlanSubagent(session, kind, task string) { a.subagents.add(session, kind, task) }
