// Package userpromptsubmit keeps what the user asked.
package userpromptsubmit

import (
	"context"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hook records each prompt, without what is private in it.
var Hook = hook.Hook{
	Name:     "user-prompt-submit",
	Event:    hookio.UserPromptSubmit,
	Deadline: func(h config.Hooks) time.Duration { return h.UserPrompt.Deadline },
	Run:      run,
}

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	prompt := capture.Text(call.Input.Prompt)
	if prompt == "" || isMachineText(prompt) { // "" when wholly private
		return hookio.Output{}, nil
	}
	event, _, err := capture.New(call, memory.EventPrompt)
	if err != nil {
		return hookio.Output{}, err
	}
	event.Prompt = prompt
	return hookio.Output{}, capture.Store(ctx, call, event)
}

// isMachineText tells what the client submits by itself when background work
// ends: no user said it.
func isMachineText(prompt string) bool {
	return strings.HasPrefix(prompt, "<task-notification>")
}
