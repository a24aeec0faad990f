package hooks

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// TeammateIdle has the agent run maintenance while a teammate is idle, at most once in the
// configured interval. If the setting allows, it also gives the teammate work, at most once in
// the same interval.
var TeammateIdle = hook.Hook{
	Name:     "teammate-idle",
	Event:    hookio.TeammateIdle,
	Deadline: func(h config.Hooks) time.Duration { return 2 * h.CaptureDeadline },
	Run:      runTeammateIdle,
}

// idleInstruction is work that needs a model.
const idleInstruction hook.Instruction = "While you are idle: look through `memory list` and `memory recall --words WORDS` of this project for " +
	"memories that contradict each other or no longer hold, and report them to the team lead in one message. Change nothing."

func runTeammateIdle(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	err := notifyIdle(ctx, call)
	if limits := call.Config.Hooks.TeammateIdle; limits.Instruct && isInstructionDue(call, limits.Interval) {
		return hookio.Output{}, idleInstruction
	}
	return hookio.Output{}, err
}

// isInstructionDue is true at most once in an interval, over all teammates and sessions: a
// teammate that has finished is idle again and would otherwise never stop.
func isInstructionDue(call *hook.Call, interval time.Duration) bool {
	mark, now := filepath.Join(call.Paths.Run(), "teammate.instructed"), call.Now()
	if info, err := os.Stat(mark); err == nil && now.Sub(info.ModTime()).Abs() < interval {
		return false
	}
	if err := os.MkdirAll(filepath.Dir(mark), 0o700); err != nil {
		return false
	}
	return os.WriteFile(mark, nil, 0o600) == nil && os.Chtimes(mark, now, now) == nil
}

func notifyIdle(ctx context.Context, call *hook.Call) error {
	client, err := agentclient.Dial(ctx, call.Paths.Socket())
	if errors.Is(err, agentclient.ErrNoAgent) {
		return call.Agent().Start() // the agent makes up for missed maintenance by itself
	}
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return client.Notify(ctx, agentapi.MethodIdle.Call(agentapi.None{}, nil))
}
