package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

// nowWord is the present as --around takes it.
const nowWord = "now"

// timelineOptions name the centre of the timeline, and its reach.
type timelineOptions struct {
	sharedOptions
	around        string // an id, a time, or now
	before, after int    // memories
}

func showTimeline(ctx context.Context, e *environment, where project.Project, o timelineOptions) error {
	params := agentapi.AroundParams{Project: where.Key, At: e.Now(), Before: o.before, After: o.after}
	if o.around != nowWord {
		at, isTime := parseInstant(e.Zone, o.around)
		switch {
		case isTime:
			params.At = at
		case checkID(o.around) == nil:
			params.ID = o.around
		default:
			return usagef("%q is neither an id nor a time such as now, 2026-11-20 or \"2026-11-20 15:04\"", memory.Cut(o.around, 40))
		}
	}
	found, err := agentapi.MethodAround.Ask(ctx, e.Agent.Call, params)
	if err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, found, func(w io.Writer) {
		if len(found) == 0 {
			_, _ = fmt.Fprintln(w, "nothing is remembered around then")
			return
		}
		memoryTable(e.Terminal, w, found)
	})
}

// parseInstant reads a time in the user's zone.
func parseInstant(zone *time.Location, text string) (time.Time, bool) {
	if zone == nil {
		zone = time.UTC
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
