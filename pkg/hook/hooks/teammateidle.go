package hooks

import (
	"context"
	"errors"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// TeammateIdle makes the daemon run maintenance while a teammate is idle, at most once in the configured interval.
var TeammateIdle = hook.Hook{
	Event:    hookio.TeammateIdle,
	Deadline: func(h config.Hooks) time.Duration { return 2 * h.Deadline },
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		err := call.Daemon().Notify(ctx, daemonapi.MethodIdle.Call(daemonapi.None{}, nil))
		if errors.Is(err, daemonclient.ErrNoDaemon) {
			err = call.Daemon().Start() // the daemon catches up on missed maintenance
		}
		return hookio.Output{}, err
	},
}
