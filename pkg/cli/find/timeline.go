package find

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/input"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/rows"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

// Timeline makes memory timeline.
func Timeline(e *command.Env) *cli.Command {
	around := func(name, usage string) cli.Flag { return &cli.IntFlag{Name: name, Usage: usage, Value: 5} }
	return &cli.Command{
		Name: "timeline", Usage: "show the memories around another or around a time", ArgsUsage: "[ID | TIME]",
		Description: command.Described("A time is 2026-11-20, 2026-11-20 15:04 (in your zone) or RFC 3339; without one it is now.",
			`memory timeline "2026-11-20 15:04"`, "memory timeline --before 10 --after 0 3f9a1c"),
		BashComplete: e.Complete(e.IDs(memory.StatusActive, false), nil),
		Flags:        []cli.Flag{around("before", "`N` until then"), around("after", "`N` after it"), command.ProjectFlag(), command.JSONFlag()},
		Action:       command.InProject(e, timelineOptionsOf, timeline),
	}
}

// timelineOptions name the centre of the timeline, and its reach.
type timelineOptions struct {
	command.Shared
	around        string // an id, a time, or empty: now
	before, after int    // memories
}

func timelineOptionsOf(c *cli.Context) (timelineOptions, error) {
	o := timelineOptions{command.SharedOf(c), strings.Join(c.Args().Slice(), " "), c.Int("before"), c.Int("after")}
	if o.before < 0 || o.after < 0 {
		return o, command.Usagef("before and after count memories: give 0 or more")
	}
	return o, nil
}

func timeline(ctx context.Context, e *command.Env, where project.Project, o timelineOptions) error {
	params := agentapi.AroundParams{Project: where.Key, At: e.Now(), Before: o.before, After: o.after}
	if o.around != "" {
		at, isTime := instant(e.Zone, o.around)
		switch {
		case isTime:
			params.At = at
		case input.CheckID(o.around) == nil:
			params.ID = o.around
		default:
			return command.Usagef("%q is neither an id nor a time such as 2026-11-20 or \"2026-11-20 15:04\"", memory.Cut(o.around, 40))
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
		rows.Table(e.Terminal, w, found)
	})
}

// instant reads a time in the user's zone.
func instant(zone *time.Location, text string) (time.Time, bool) {
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
