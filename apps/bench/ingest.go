package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/sandbox"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/workload"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func ingestCommand() *cli.Command {
	return &cli.Command{
		Name:  "ingest",
		Usage: "measure how fast spooled events get into the store",
		Description: "Puts bursts of events into the spool of a new home, and measures how long the running daemon and its\n" +
			"engine take until all are stored and recallable. The CPU time of an event is the steadier figure:\n" +
			"the rate depends on what else the machine does. Maintenance is off. Build the programs first (make build).",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "memories", Usage: "memories, edits and commands in the store at the end", Value: 20_000},
			&cli.IntFlag{Name: "project", Usage: "how many of them belong to the project with a loaded index", DefaultText: "a tenth"},
			&cli.IntFlag{Name: "burst", Usage: "events in the spool at once", Value: fillChunk},
			&cli.Uint64Flag{Name: "seed", Usage: "seed of the workload", Value: 1},
		},
		Action: func(c *cli.Context) error {
			o := storeOptions{memories: c.Int("project"), store: c.Int("memories"), seed: c.Uint64("seed")}
			if !c.IsSet("project") {
				o.memories = o.store / 10
			}
			burst := c.Int("burst")
			if o.store < 1 || burst < 1 || o.memories < 0 || o.memories > o.store {
				return errors.New("memories and burst must be at least 1, and the project no larger than the store")
			}
			return onBed(c.Context, io.Discard, func(b *bed) error { return b.measureIngest(c.Context, o, burst, c.App.Writer) })
		},
	}
}

// measureIngest prints a line for each burst and one for all bursts.
func (b *bed) measureIngest(ctx context.Context, o storeOptions, burst int, out io.Writer) error {
	if err := b.startDaemon(ctx); err != nil {
		return err
	}
	spec, err := b.spec(o)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "events\tmemories\tevents/s\tdaemon ms/event\tengine ms/event\tdaemon MB\tat most\tengine MB\tat most\t")
	var all burstCost
	for chunk := range chunks(workload.Events(spec), burst) {
		cost, err := b.ingestBurst(ctx, chunk)
		if err != nil {
			return err
		}
		status, err := b.home.Status(ctx)
		if err != nil {
			return err
		}
		switch {
		case status.Store == nil:
			return fmt.Errorf("the rows of the store cannot be counted: %s", status.Reason)
		case status.Spool.Dead > 0:
			return fmt.Errorf("the store refused events (%d): read the reasons in spool/dead", status.Spool.Dead)
		}
		all.add(cost)
		cost.write(table, all.events, fmt.Sprint(status.Store.Memories))
	}
	all.write(table, all.events, "all")
	if err := table.Flush(); err != nil {
		return err
	}
	if err := errors.Join(b.home.Settle(ctx), b.home.Rest(ctx)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nresident memory of the idle daemon and its engine: %s\n", b.resident())
	return err
}

// burstCost is the cost of ingesting a burst of events.
type burstCost struct {
	events         int
	took           time.Duration // time from the first waiting event until all are recallable
	daemon, engine sandbox.Usage // CPU time spent on these events
}

func (b *bed) ingestBurst(ctx context.Context, events []memory.Event) (burstCost, error) {
	if err := put(b.home.Spool(), events); err != nil {
		return burstCost{}, err
	}
	daemon, engine := b.home.Usage()
	began := time.Now()
	if _, err := b.home.Memory(ctx, "daemon", "ingest"); err != nil {
		return burstCost{}, fmt.Errorf("ingest %d events: %w", len(events), err)
	}
	c := burstCost{events: len(events), took: time.Since(began)}
	c.daemon, c.engine = b.home.Usage()
	c.daemon.CPU -= daemon.CPU
	c.engine.CPU -= engine.CPU
	return c, nil
}

func (c *burstCost) add(other burstCost) {
	c.events += other.events
	c.took += other.took
	daemon, engine := c.daemon.CPU+other.daemon.CPU, c.engine.CPU+other.engine.CPU
	c.daemon, c.engine = other.daemon, other.engine
	c.daemon.CPU, c.engine.CPU = daemon, engine
}

// write prints a line of the table: the events so far and the memories in the store.
func (c *burstCost) write(out io.Writer, events int, memories string) {
	perEvent := func(cpu time.Duration) float64 { return cpu.Seconds() * 1000 / float64(c.events) }
	_, _ = fmt.Fprintf(out, "%d\t%s\t%.0f\t%.2f\t%.2f\t%d\t%d\t%d\t%d\t\n", events, memories, float64(c.events)/c.took.Seconds(),
		perEvent(c.daemon.CPU), perEvent(c.engine.CPU), c.daemon.Resident>>20, c.daemon.Peak>>20, c.engine.Resident>>20, c.engine.Peak>>20)
}
