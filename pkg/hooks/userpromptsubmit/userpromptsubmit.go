// Package userpromptsubmit records the user's prompt, gives the model the memories that
// fit it, and tells the user once which memories were kept of the session.
package userpromptsubmit

import (
	"context"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/inject"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hook records each prompt, without its private parts, and recalls for it.
var Hook = hook.Hook{
	Name:     "user-prompt-submit",
	Event:    hookio.UserPromptSubmit,
	Deadline: hook.Recall,
	Run:      run,
}

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	capture.Busy(call)
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
		return hookio.Output{}, capture.Store(ctx, call, event)
	}
	return inject.RecallAndStore(ctx, call, agentapi.RecallParams{
		Purpose: agentapi.ForPrompt, Text: prompt,
		TokenBudget: call.Config.Hooks.UserPrompt.TokenBudget, MaxLines: call.Config.Hooks.UserPrompt.MaxLines,
		Hint: call.Config.Hooks.UserPrompt.Hint, TellKept: call.Config.Hooks.UserPrompt.TellKept,
	}, event)
}

// IsGoOn tells whether a prompt only says to continue ("yes", "go on"): there is
// nothing in it to recall for.
func IsGoOn(prompt string) bool {
	switch said := strings.ToLower(strings.TrimRight(prompt, " .!?")); said {
	case "go on", "go ahead", "do it", "please do", "yes please", "thank you":
		return true
	default:
		return goOns[said]
	}
}

var goOns = language.Set(language.Yes + language.No + language.Praise + "y n continue proceed next stop good lgtm")
