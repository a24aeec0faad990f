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

// SessionEnd records the end of a session, whether a person ran it, and the path of its transcript. The daemon reads the
// transcript, because the client gives all SessionEnd hooks together 1.5 s.
var SessionEnd = hook.Hook{
	Event:    hookio.SessionEnd,
	Deadline: func(h config.Hooks) time.Duration { return 3 * h.Deadline },
	Run:      runSessionEnd,
}

func runSessionEnd(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	o := call.Occurrence()
	event := describe.New(o, memory.EventSessionEnded)
	event.Reason, event.Transcript, event.ByUser = call.Input.Reason, describe.Name(call.Input.TranscriptPath), o.Line.IsTyped()
	err := put(call, event)
	deleteMarkers(call)
	return hookio.Output{}, errors.Join(err, wake(ctx, call))
}
