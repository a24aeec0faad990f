// Package posttoolusefailure records failures, and gives the model the fixes of the same
// failure before.
package posttoolusefailure

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/inject"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hook records shell commands that failed, and recalls their fix. (A failing command never reaches
// PostToolUse.)
var Hook = hook.Hook{
	Name:     "post-tool-use-failure",
	Event:    hookio.PostToolUseFailure,
	Deadline: hook.Recall,
	Run:      run,
}

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	event, err := describe.ToolFailure(call.Occurrence())
	if err != nil || event.ID == "" {
		return hookio.Output{}, err
	}
	capture.MarkFailing(call, call.Input.ToolInput.String("command"))
	return inject.RecallAndStore(ctx, call, agentapi.RecallParams{
		Purpose: agentapi.ForFailure, Command: memory.CommandKey(event.Command), Text: event.Error,
		TokenBudget: call.Config.Hooks.PostToolUseFailure.TokenBudget,
	}, event)
}
