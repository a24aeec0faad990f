package hooks

import (
	"context"
	"errors"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// TeammateIdle has the agent run maintenance while a teammate is idle, at most once in
// the configured interval.
var TeammateIdle = hook.Hook{
	Name:     "teammate-idle",
	Event:    hookio.TeammateIdle,
	Deadline: func(h config.Hooks) time.Duration { return 2 * h.Deadline },
	Run:      runTeammateIdle,
}

func runTeammateIdle(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	return hookio.Output{}, notifyIdle(ctx, call)
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
