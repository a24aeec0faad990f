package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/sandbox"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/workload"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/jobs"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

// ingestOptions are the user's options for a measurement of the write path.
type ingestOptions struct {
	memories int // that the store has at the end
	project  int // of these in the measured project, which the agent holds an index of
	burst    int // events that wait at once
	seed     uint64
	plot     string // file for the SVG; "" for none
	// maintenance leaves it on, due that long after the agent's start; 0 puts it off.
	maintenance time.Duration
}

func ingestCommand() *cli.Command {
	return &cli.Command{
		Name:  "ingest",
		Usage: "measure how fast what is spooled gets into the store",
		Description: "Puts bursts of events into the spool of a new home, and measures how long the running agent and its\n" +
			"engine take to have each in the store and recallable. The CPU time of an event is the steadier figure:\n" +
			"the rate depends on what else the machine does. Without --maintenance that is put off. Build the programs before (make build).",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "memories", Usage: "memories that the store has at the end", Value: 20_000},
			&cli.IntFlag{Name: "project", Usage: "of these, memories of the project that the agent holds an index of", DefaultText: "a tenth"},
			&cli.IntFlag{Name: "burst", Usage: "events that wait in the spool at once", Value: fillChunk},
			&cli.Uint64Flag{Name: "seed", Usage: "of the workload", Value: 1},
			&cli.DurationFlag{Name: "maintenance", Usage: "leave maintenance on, due that long after the agent's start, and wait for its end, too"},
			&cli.StringFlag{Name: "plot", Usage: "draw the rate and the CPU time over the memories in the store into `FILE` (SVG)"},
		},
		Action: func(c *cli.Context) error {
			o := ingestOptions{memories: c.Int("memories"), project: c.Int("project"), burst: c.Int("burst"), seed: c.Uint64("seed"), plot: c.String("plot"), maintenance: c.Duration("maintenance")}
			if !c.IsSet("project") {
				o.project = o.memories / 10
			}
			if o.memories < 1 || o.burst < 1 || o.project < 0 || o.project > o.memories {
				return errors.New("memories and burst must be at least 1, and the project no larger than the store")
			}
			return measureIngest(c.Context, o, c.App.Writer)
		},
	}
}

// withoutMaintenance puts maintenance of a home off: its jobs by the clock, those after a
// session's end, and those of an idle teammate.
func withoutMaintenance(home *sandbox.Home) error {
	settings := map[string]any{"quiet": "1h"}
	for _, job := range jobs.Names() {
		settings[job] = map[string]string{"cron": ""} // only the file can switch a job off
	}
	return configureMaintenance(home, settings)
}

func configureMaintenance(home *sandbox.Home, settings map[string]any) error {
	if err := private.Make(home.Dir); err != nil {
		return err
	}
	return writeJSON(paths.Layout{Home: home.Dir}.ConfigFile(), map[string]any{"maintenance": settings})
}

// measureIngest prints a line for each burst, and one for all of them.
func measureIngest(ctx context.Context, o ingestOptions, out io.Writer) (err error) {
	checkout, err := findCheckout()
	if err != nil {
		return err
	}
	box, err := sandbox.Open(ctx, checkout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	home := box.Home("home")
	defer func() { err = errors.Join(err, home.Stop(ctx)) }()
	if o.maintenance > 0 {
		err = configureMaintenance(home, map[string]any{"quiet": o.maintenance.String()})
	} else {
		err = withoutMaintenance(home)
	}
	if err != nil {
		return err
	}
	programs, err := findPrograms(checkout, box)
	if err != nil {
		return err
	}
	m := measurement{box: box, home: home, options: options{seed: o.seed}, programs: programs, progress: io.Discard}
	if err := m.startAgent(ctx); err != nil {
		return err
	}
	where, err := project.Identify(box.Project)
	if err != nil {
		return err
	}
	events := workload.Events(workload.Spec{
		Seed: o.seed, Until: time.Now(), Memories: o.project, Store: o.memories,
		Measured: memory.Project{Key: where.Key, Name: where.Name, Root: where.Root},
	})
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer func() { err = errors.Join(err, table.Flush()) }()
	_, _ = fmt.Fprintln(table, "events\tmemories\tevents/s\tagent ms/event\tengine ms/event\tagent MB\tat most\tengine MB\tat most\t")
	var all burstCost
	var points []burstPoint
	for chunk := range chunks(events, o.burst) {
		cost, err := m.ingestBurst(ctx, chunk)
		if err != nil {
			return err
		}
		status, err := home.Status(ctx)
		if err != nil {
			return err
		}
		if status.Store == nil || status.Spool.Dead > 0 {
			return fmt.Errorf("the store cannot be counted (%s), or the spool has dead letters (%d)", status.Reason, status.Spool.Dead)
		}
		all.add(cost)
		cost.write(table, all.events, status.Store.Memories)
		if len(chunk) == o.burst { // the last may be too small to compare
			points = append(points, cost.point(status.Store.Memories))
		}
	}
	all.write(table, all.events, -1)
	if err := table.Flush(); err != nil {
		return err
	}
	if o.plot != "" {
		if err := plotIngest(o.plot, points); err != nil {
			return err
		}
	}
	if o.maintenance > 0 {
		if err := m.awaitMaintenance(ctx, out); err != nil {
			return err
		}
	}
	return m.writeMemory(ctx, out)
}

// maintenanceTime bounds the wait for the end of maintenance.
const maintenanceTime = 30 * time.Minute

// awaitMaintenance waits until the last of the jobs has run and none runs any more, and
// prints how long that took.
func (m *measurement) awaitMaintenance(ctx context.Context, out io.Writer) error {
	began := time.Now()
	var last time.Time
	err := sandbox.Poll(ctx, maintenanceTime, time.Second, func() (bool, error) {
		output, err := m.home.Memory(ctx, "runs", "--json")
		if err != nil {
			return false, err
		}
		var runs []memory.Run
		if err := json.Unmarshal(output, &runs); err != nil {
			return false, fmt.Errorf("read the maintenance runs: %w", err)
		}
		isOver := false
		last = time.Time{}
		for _, run := range runs {
			if run.EndedAt.IsZero() {
				return false, nil
			}
			isOver = isOver || run.Job == jobs.Prune
			if run.EndedAt.After(last) {
				last = run.EndedAt
			}
		}
		return isOver, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the end of maintenance: %w", err)
	}
	_, err = fmt.Fprintf(out, "\nmaintenance ended %.0f s after the last event was stored\n", max(0, last.Sub(began).Seconds()))
	return err
}

// writeMemory prints the memory of agent and engine when they have come to rest.
func (m *measurement) writeMemory(ctx context.Context, out io.Writer) error {
	if err := m.rest(ctx); err != nil {
		return err
	}
	agent, engine := m.home.Usage()
	_, err := fmt.Fprintf(out, "\nresident at rest: agent %d MB (at most %d), engine %d MB (at most %d)\n",
		agent.Resident>>20, agent.Peak>>20, engine.Resident>>20, engine.Peak>>20)
	return err
}

// startAgent starts a session, which starts the agent, and waits for it.
func (m *measurement) startAgent(ctx context.Context) error {
	start, err := m.firstCall(sessionStart)
	if err != nil {
		return err
	}
	if _, err := m.home.Run(ctx, start); err != nil {
		return err
	}
	return m.home.Ready(ctx)
}

// burstCost is the cost of ingesting some events.
type burstCost struct {
	events        int
	took          time.Duration // from the first one waiting until all are recallable
	agent, engine sandbox.Usage // the CPU time is of these events alone
}

func (m *measurement) ingestBurst(ctx context.Context, events []memory.Event) (burstCost, error) {
	if err := put(m.home.Spool(), events); err != nil {
		return burstCost{}, err
	}
	agent, engine := m.home.Usage()
	began := time.Now()
	if _, err := m.home.Memory(ctx, "agent", "ingest"); err != nil {
		return burstCost{}, fmt.Errorf("ingest %d events: %w", len(events), err)
	}
	c := burstCost{events: len(events), took: time.Since(began)}
	c.agent, c.engine = m.home.Usage()
	c.agent.CPU -= agent.CPU
	c.engine.CPU -= engine.CPU
	return c, nil
}

func (c *burstCost) add(other burstCost) {
	c.events += other.events
	c.took += other.took
	cpu := [2]time.Duration{c.agent.CPU + other.agent.CPU, c.engine.CPU + other.engine.CPU}
	c.agent, c.engine = other.agent, other.engine
	c.agent.CPU, c.engine.CPU = cpu[0], cpu[1]
}

// perEvent is the CPU time of an event in ms.
func (c *burstCost) perEvent(cpu time.Duration) float64 {
	return cpu.Seconds() * 1000 / float64(c.events)
}

// write prints a line; memories below 0 are those of a sum, which has none.
func (c *burstCost) write(out io.Writer, events, memories int) {
	count := "all"
	if memories >= 0 {
		count = fmt.Sprint(memories)
	}
	_, _ = fmt.Fprintf(out, "%d\t%s\t%.0f\t%.2f\t%.2f\t%d\t%d\t%d\t%d\t\n", events, count, float64(c.events)/c.took.Seconds(),
		c.perEvent(c.agent.CPU), c.perEvent(c.engine.CPU), c.agent.Resident>>20, c.agent.Peak>>20, c.engine.Resident>>20, c.engine.Peak>>20)
}
