// Package subagentstart gives a starting subagent the memories that fit its task.
package subagentstart

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/inject"
)

// Hook recalls for the task that the PreToolUse hook told the agent.
var Hook = hook.Hook{
	Name:     "subagent-start",
	Event:    hookio.SubagentStart,
	Deadline: hook.Recall,
	Run:      run,
}

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	return inject.Recall(ctx, call, agentapi.RecallParams{
		Purpose: agentapi.ForSubagent, Text: call.Input.AgentType, TokenBudget: call.Config.Hooks.SubagentStart.TokenBudget,
	})
}
