package hooks

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// SubagentStart gives a starting subagent the memories that fit its task. The daemon knows the task from the PreToolUse
// hook.
var SubagentStart = hook.Hook{
	Event: hookio.SubagentStart,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		return recall(ctx, call, daemonapi.RecallParams{
			Purpose: daemonapi.ForSubagent, Text: call.Input.AgentType, TokenBudget: call.Config.Hooks.SubagentTokens,
		})
	},
}
