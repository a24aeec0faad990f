package hooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// recall asks the daemon for memories for the purpose in params, unless the token budget is 0, and adds project and session.
func recall(ctx context.Context, call *hook.Call, params daemonapi.RecallParams) (hookio.Output, error) {
	return recallWhileStoring(ctx, call, params, nil)
}

// recallAndStore recalls like recall, and meanwhile writes an event to the spool.
func recallAndStore(ctx context.Context, call *hook.Call, params daemonapi.RecallParams, event memory.Event) (hookio.Output, error) {
	if event.Session == "" {
		return hookio.Output{}, errNoSession
	}
	stored := meanwhile(func() error { return put(call, event) })
	output, err := recallWhileStoring(ctx, call, params, stored)
	return output, errors.Join(stored(), err)
}

// meanwhile runs store, which writes an event to the spool, in the background. stored waits until it is done, and returns its error.
func meanwhile(store func() error) (stored func() error) {
	stored = sync.OnceValue(store)
	go func() { _ = stored() }()
	return stored
}

// recallWhileStoring recalls like recall, and notifies the daemon once the event is stored, because before that the
// spool may be empty. stored is nil if there is no event.
func recallWhileStoring(ctx context.Context, call *hook.Call, params daemonapi.RecallParams, stored func() error) (hookio.Output, error) {
	if _, err := os.Stat(call.Paths.ReadyMarker()); err != nil || params.TokenBudget == 0 {
		return hookio.Output{}, wakeOnceStored(ctx, call, stored)
	}
	if err := call.Daemon().Revive(ctx); err != nil { // a hanging daemon would cost each hook its whole deadline
		return hookio.Output{}, err
	}
	client, err := daemonclient.Dial(ctx, call.Paths.Socket())
	if errors.Is(err, daemonclient.ErrNoDaemon) {
		return hookio.Output{}, wakeOnceStored(ctx, call, stored)
	}
	if err != nil {
		return hookio.Output{}, err
	}
	defer func() { _ = client.Close() }()
	params.Project, params.Root = call.Project.Key, call.Project.Root
	params.Client, params.Session, params.Subagent = call.Client, call.Input.SessionID, call.Input.AgentID
	params.WaitMS = answerTime(ctx)
	var answer daemonapi.ContextResult
	if err := client.Call(ctx, daemonapi.MethodRecall.Call(params, &answer)); err != nil {
		return hookio.Output{}, fmt.Errorf("the daemon gave no memories for a %s: %w", params.Purpose, err)
	}
	if stored != nil {
		_ = stored()
		err = client.Notify(ctx, daemonapi.MethodSpooled.Call(daemonapi.SpooledParams{}, nil))
	}
	output := hookio.Context(call.Input.HookEventName, answer.Text)
	output.SystemMessage = keptLine(call, answer)
	return output, err
}

// keptLine returns the line for the user about kept memories, with the command that shows them.
func keptLine(call *hook.Call, answer daemonapi.ContextResult) string {
	if answer.Kept == "" {
		return ""
	}
	return answer.Kept + ": " + cliCommand(call, answer.KeptCommand)
}

func wakeOnceStored(ctx context.Context, call *hook.Call, stored func() error) error {
	if stored == nil {
		return nil
	}
	_ = stored()
	return wake(ctx, call)
}

// answerMargin is the time that an answer takes from the daemon to the client.
const answerMargin = 5 * time.Millisecond

// answerTime returns how many milliseconds the daemon has to answer in time, or 0 without a deadline.
func answerTime(ctx context.Context) int {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return int(max(0, time.Until(deadline)-answerMargin).Milliseconds())
}

// programListens reports whether a program reads the model's last answer (`claude -p`): a question of ours would replace it.
func programListens(call *hook.Call) bool {
	return strings.HasPrefix(call.Getenv("CLAUDE_CODE_ENTRYPOINT"), "sdk")
}
