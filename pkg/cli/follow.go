package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func followFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "follow", Usage: "follow the agent's events (captured, injected, changed, maintained), until Ctrl-C"},
		&cli.BoolFlag{Name: "once", Usage: "with --follow: show the latest ones, and end"},
		&cli.IntFlag{Name: "lines", Usage: "with --follow: begin with the last `N`", Value: 20},
	}
}

// followOptions are how many lines to begin with, and whether to go on.
type followOptions struct {
	sharedOptions
	isOn  bool
	once  bool
	lines int // 0 or more
}

func followOptionsOf(c *cli.Context) (followOptions, error) {
	o := followOptions{sharedOptionsOf(c), c.Bool("follow"), c.Bool("once"), c.Int("lines")}
	switch {
	case !o.isOn && (o.once || c.IsSet("lines")):
		return o, usagef("--once and --lines go with --follow")
	case o.lines < 0:
		return o, usagef("lines %d: give 0 or more", o.lines)
	}
	return o, nil
}

// feedWait is how long one question to the agent waits for something new. An agent that
// is to make room for a newer one waits for it, so it is short.
const feedWait = time.Second

func followFeed(ctx context.Context, e *environment, o followOptions) error {
	var feed agentapi.FeedResult
	if err := e.Agent.Call(ctx, agentapi.MethodFeed.Call(agentapi.FeedParams{}, &feed)); err != nil {
		return err
	}
	items := feed.Items[max(0, len(feed.Items)-o.lines):]
	for {
		for _, item := range items {
			if err := feedLine(e, o.JSON, item); err != nil {
				return err
			}
		}
		if o.once || ctx.Err() != nil {
			return nil
		}
		after := feed.Last
		feed = agentapi.FeedResult{}
		err := e.Agent.Ask(ctx, agentapi.MethodFeed.Call(agentapi.FeedParams{
			After:  after,
			WaitMS: int(feedWait.Milliseconds()),
		}, &feed))
		if ctx.Err() != nil { // Ctrl-C
			return nil
		}
		if err != nil {
			return fmt.Errorf("the agent has ended: %w", err)
		}
		items = feed.Items
	}
}

func feedLine(e *environment, asJSON bool, item agentapi.FeedItem) error {
	if asJSON {
		return json.NewEncoder(e.Out).Encode(item)
	}
	what := item.Subject
	switch {
	case item.Kind == agentapi.FeedInjected && item.Memories == 0:
		what += ", nothing new"
	case item.Kind == agentapi.FeedInjected:
		what += fmt.Sprintf(", %s, %s", terminal.Counted(item.Memories, "memory"), terminal.Counted(item.Tokens, "token"))
	}
	line := fmt.Sprintf("%s  %-10s  %s", item.At.In(e.Now().Location()).Format(time.TimeOnly), item.Kind,
		terminal.Printable(what))
	if text := memory.Cut(memory.OneLine(item.Text), 160); text != "" {
		line += "  " + terminal.Printable(text)
	}
	_, err := fmt.Fprintln(e.Out, line)
	return err
}
