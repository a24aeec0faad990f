package hooks

import (
	"context"
	"errors"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
)

// SessionEnd records the end of a session, and the words with which the user refused or approved tool calls: no other event
// of all clients has them. The daemon does the rest, because the client gives all SessionEnd hooks together 1.5 s.
var SessionEnd = hook.Hook{
	Event:    hookio.SessionEnd,
	Deadline: func(h config.Hooks) time.Duration { return 3 * h.Deadline },
	Run:      runSessionEnd,
}

func runSessionEnd(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	event := describe.New(call.Occurrence(), memory.EventSessionEnded)
	event.Reason, event.Transcript = call.Input.Reason, describe.Name(call.Input.TranscriptPath)
	err := put(call, event)
	deleteMarkers(call)
	return hookio.Output{}, errors.Join(err, putDialogs(ctx, call), wake(ctx, call))
}
