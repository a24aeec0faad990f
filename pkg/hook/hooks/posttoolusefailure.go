package hooks

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// PostToolUseFailure records shell commands that failed, and gives the model earlier fixes of the same failure. (A
// failing command never reaches PostToolUse.)
var PostToolUseFailure = hook.Hook{
	Event: hookio.PostToolUseFailure,
	Run:   runPostToolUseFailure,
}

func runPostToolUseFailure(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	event := describe.ToolFailure(call.Occurrence())
	if event.ID == "" {
		return hookio.Output{}, nil
	}
	markFailing(call, call.Input.ToolInput.String("command"))
	return recallAndStore(ctx, call, daemonapi.RecallParams{
		Purpose: daemonapi.ForFailure, Command: memory.CommandKey(event.Command), Text: event.Error,
		TokenBudget: call.Config.Hooks.FailureTokens,
	}, event)
}
