package hooks

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// UserPromptSubmit records each prompt of the user without its private parts, gives the model the memories that fit it,
// and shows the user once how many memories were kept of this session.
var UserPromptSubmit = hook.Hook{
	Event: hookio.UserPromptSubmit,
	Run:   runUserPromptSubmit,
}

func runUserPromptSubmit(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	if call.Input.AgentID != "" { // a task that the assistant gives a subagent, not a prompt of the user
		return hookio.Output{}, nil
	}
	markBusy(call)
	occurrence := call.Occurrence()
	prompt := describe.Prompt(call.Input.Prompt, speaker.Line{})
	if prompt == "" {
		return hookio.Output{}, nil
	}
	params := daemonapi.RecallParams{
		Purpose: daemonapi.ForPrompt, Text: prompt, TokenBudget: call.Config.Hooks.PromptTokens, MaxLines: call.Config.Hooks.PromptLines,
	}
	if !occurrence.Line.IsTyped() { // written by a program, not by the user
		return recall(ctx, call, params)
	}
	event := describe.New(occurrence, memory.EventPrompt)
	event.Prompt = prompt
	if output, is, err := startLate(ctx, call, event); is {
		return output, err
	}
	if language.IsContinuation(prompt) {
		return hookio.Output{}, store(ctx, call, event)
	}
	params.Hint, params.ReportKept = true, call.Config.Hooks.Notices
	return recallAndStore(ctx, call, params, event)
}
