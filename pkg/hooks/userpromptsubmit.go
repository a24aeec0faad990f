package hooks

import (
	"context"
	"slices"
	"strings"

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
	if IsGoOn(prompt) {
		return hookio.Output{}, store(ctx, call, event)
	}
	return recallAndStore(ctx, call, agentapi.RecallParams{
		Purpose: agentapi.ForPrompt, Text: prompt,
		TokenBudget: call.Config.Hooks.UserPrompt.TokenBudget, MaxLines: call.Config.Hooks.UserPrompt.MaxLines,
		Hint: call.Config.Hooks.UserPrompt.Hint, TellKept: call.Config.Hooks.UserPrompt.TellKept,
	}, event)
}

// IsGoOn reports whether a prompt only asks to continue ("yes", "go on"): there is
// nothing in it to recall for.
func IsGoOn(prompt string) bool {
	switch text := strings.ToLower(strings.TrimRight(prompt, " .!?")); text {
	case "go on", "go ahead", "do it", "please do", "yes please", "thank you":
		return true
	default:
		return slices.Contains(strings.Fields(goOns), text)
	}
}

// goOns is a constant: a set made at the start would cost every hook program.
const goOns = language.Yes + language.No + language.Praise + "y n continue proceed next stop good lgtm"
