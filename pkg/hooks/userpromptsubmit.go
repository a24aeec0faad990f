package hooks

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// UserPromptSubmit records each prompt, without its private parts, gives the model the memories that fit it, and shows the user
// once which memories the session before left.
var UserPromptSubmit = hook.Hook{
	Name:     "user-prompt-submit",
	Event:    hookio.UserPromptSubmit,
	Deadline: hook.Recall,
	Run:      runUserPromptSubmit,
}

func runUserPromptSubmit(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	markBusy(call)
	prompt := describe.Prompt(call.Input.Prompt)
	if prompt == "" {
		return hookio.Output{}, nil
	}
	event, err := describe.New(call.Occurrence(), memory.EventPrompt)
	if err != nil {
		return hookio.Output{}, err
	}
	event.Prompt = prompt
	if language.IsGoOn(prompt) {
		return hookio.Output{}, store(ctx, call, event)
	}
	return recallAndStore(ctx, call, agentapi.RecallParams{
		Purpose: agentapi.ForPrompt, Text: prompt,
		TokenBudget: call.Config.Hooks.UserPrompt.TokenBudget, MaxLines: call.Config.Hooks.UserPrompt.MaxLines,
		Hint: true, ReportKept: call.Config.Hooks.Notices,
	}, event)
}
