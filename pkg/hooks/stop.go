package hooks

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Stop records the assistant's last words and, if the setting allows, asks the model to store its
// lessons. It never returns context: that would force another turn each time.
var Stop = hook.Hook{
	Name:     "stop",
	Event:    hookio.Stop,
	Deadline: hook.Capture,
	Run:      runStop,
}

// lessonsQuestion is the only question to the model.
const lessonsQuestion = "Before you finish: if this session taught you something that a later session in this project should know " +
	"(a decision and its reason, a convention, the cause of a failure, a preference of the user), store each in one " +
	"sentence with the store_memory tool of surrealdb-memory, or with `memory remember --kind decision|convention|note|preference " +
	"\"…\"` in the shell. Edits and commands are stored already. If there is nothing, just finish."

func runStop(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	if call.Input.StopHookActive {
		markIdle(call)
		return hookio.Output{}, nil
	}
	stored := make(chan error, 1) // the event is written while the agent decides
	go func() {
		stored <- report(ctx, call, memory.EventTurnEnded, "", call.Input.LastAssistantMessage)
	}()
	ask, err := shouldAsk(ctx, call)
	err = errors.Join(<-stored, err)
	if !ask {
		markIdle(call)
		return hookio.Output{}, err
	}
	return hookio.Block(lessonsQuestion), err
}

func shouldAsk(ctx context.Context, call *hook.Call) (bool, error) {
	if programListens(call) {
		return false, nil
	}
	switch call.Config.Hooks.Stop.Ask {
	case config.AskNever:
		return false, nil
	case config.AskAlways:
		return true, nil
	}
	if _, err := os.Stat(call.Paths.ReadyMark()); err != nil {
		return false, nil // no agent, no question
	}
	client, err := agentclient.Dial(ctx, call.Paths.Socket())
	if err != nil {
		return false, nil // no agent, no question
	}
	defer func() { _ = client.Close() }()
	params := agentapi.ShouldAskParams{Project: call.Project.Key, Session: call.Input.SessionID, WaitMS: patience(ctx)}
	var ask bool
	if err := client.Call(ctx, agentapi.MethodShouldAsk.Call(params, &ask)); err != nil {
		return false, fmt.Errorf("ask whether to ask: %w", err)
	}
	return ask, nil
}
