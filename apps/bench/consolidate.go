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

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/workload"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The limits for maintenance.
const (
	mostIncremental = 5.0   // seconds
	mostFull        = 120.0 // seconds
	mostPeak        = 150.0 // MB of the daemon during an incremental run
	mostGrowth      = 1.5   // times from the smallest store to the largest, for an incremental run
)

// maintenanceOptions are the options for a measurement of maintenance.
type maintenanceOptions struct {
	memories []int // sizes of the measured stores
	changed  int
	seed     uint64
	isAlike  bool // the memories have only a few forms
}

func consolidateCommand() *cli.Command {
	return &cli.Command{
		Name:  "consolidate",
		Usage: "measure the maintenance jobs on stores of several sizes",
		Description: "Fills a store through spool and daemon, runs all jobs until nothing is left to do, changes some memories, and\n" +
			"runs all jobs on the changes, on nothing, and on everything, each with memory daemon consolidate --job, on a daemon\n" +
			"that has just started. A larger store has more projects of the same size. Build the programs first (make build).",
		Flags: []cli.Flag{
			&cli.IntSliceFlag{Name: "memories", Usage: "memories of the store (repeatable)", Value: cli.NewIntSlice(10_000, 100_000)},
			&cli.IntFlag{Name: "changed", Usage: "memories that are new, or seen again, before the incremental run", Value: 1000},
			&cli.Uint64Flag{Name: "seed", Usage: "seed of the workload", Value: 1},
			&cli.BoolFlag{Name: "alike", Usage: "give all memories a few forms that differ in a number, in five projects, and compare the jobs of the first and the last store"},
		},
		Action: func(c *cli.Context) error {
			o := maintenanceOptions{memories: c.IntSlice("memories"), changed: c.Int("changed"), seed: c.Uint64("seed"), isAlike: c.Bool("alike")}
			if o.changed < leastChanged {
				return fmt.Errorf("at least %d changed memories are needed", leastChanged)
			}
			for _, n := range o.memories {
				if n < o.changed {
					return fmt.Errorf("a store of %d memories cannot have %d changed ones", n, o.changed)
				}
			}
			return measureMaintenance(c.Context, o, c.App.Writer, c.App.ErrWriter)
		},
	}
}

const (
	// memoriesOfProject is the size of a project. leastProjects is the number of projects with work before an
	// incremental run.
	memoriesOfProject = 1000
	leastProjects     = 5
	// leastChanged is the minimum number of changed memories. With fewer, some of the leastProjects projects would
	// lack a kind of change.
	leastChanged = 10
	// settledAgo is the age of the newest event in a settled store.
	settledAgo = 24 * time.Hour
	// mostSettling is the maximum number of runs until nothing is left to do.
	mostSettling = 10

	phaseFirst       = "first"
	phaseSettle      = "settle"
	phaseIncremental = "incremental"
	phaseIdle        = "nothing changed"
	phaseFull        = "full"
)

// maintenanceStore has the figures of one store.
type maintenanceStore struct {
	memories, projects int
	phases             []jobsRun
}

func (s maintenanceStore) phase(name string) jobsRun {
	for _, phase := range s.phases {
		if phase.phase == name {
			return phase
		}
	}
	return jobsRun{}
}

// jobTime is the cost of a job. cpu covers daemon and engine.
type jobTime struct {
	took, cpu         time.Duration
	examined, changed int
}

// jobsRun is one run of all jobs, in their order.
type jobsRun struct {
	phase  string
	jobs   []jobTime
	peakMB float64 // peak memory of the daemon
}

// sum returns the cost of all jobs together.
func (r jobsRun) sum() (all jobTime) {
	for _, job := range r.jobs {
		all.took, all.cpu, all.examined, all.changed = all.took+job.took, all.cpu+job.cpu, all.examined+job.examined, all.changed+job.changed
	}
	return all
}

func measureMaintenance(ctx context.Context, o maintenanceOptions, out, progress io.Writer) error {
	var stores []maintenanceStore
	for _, n := range o.memories {
		err := onBed(ctx, progress, func(b *bed) error {
			store, err := b.measureStore(ctx, n, o)
			stores = append(stores, store)
			return err
		})
		if err != nil {
			return fmt.Errorf("measure maintenance of %d memories: %w", n, err)
		}
	}
	err := errors.Join(writePhases(out, stores), writeVerdicts(out, stores, o.changed))
	if o.isAlike {
		err = errors.Join(err, writeGrowth(out, stores))
	}
	return err
}

// measureStore fills and settles a store, changes some of its memories, and measures each phase of its maintenance.
func (b *bed) measureStore(ctx context.Context, n int, o maintenanceOptions) (s maintenanceStore, err error) {
	s = maintenanceStore{memories: n, projects: max(leastProjects, n/memoriesOfProject)}
	if o.isAlike {
		s.projects = leastProjects
	}
	spec, err := b.spec(storeOptions{memories: n / s.projects, store: n, seed: o.seed})
	if err != nil {
		return s, err
	}
	spec.Until, spec.Others, spec.Revised, spec.Similar = time.Now().Add(-settledAgo), s.projects-1, true, o.isAlike
	if _, err := b.fill(ctx, spec); err != nil {
		return s, err
	}
	run := func(phase string, options ...string) (jobsRun, error) {
		run, err := b.runJobs(ctx, phase, options)
		s.phases = append(s.phases, run)
		all := run.sum()
		b.say("%s: %.2f s (CPU %.2f s), %d rows examined, %d changed, peak %.0f MB", phase, all.took.Seconds(), all.cpu.Seconds(), all.examined, all.changed, run.peakMB)
		return run, err
	}
	if _, err := run(phaseFirst); err != nil {
		return s, err
	}
	for range mostSettling {
		settled, err := run(phaseSettle)
		if err != nil {
			return s, err
		}
		if settled.sum().changed == 0 {
			break
		}
	}
	if err := b.change(ctx, spec, o.changed); err != nil {
		return s, err
	}
	_, err = run(phaseIncremental)
	if err == nil {
		_, err = run(phaseIdle)
	}
	if err == nil {
		_, err = run(phaseFull, "--all")
	}
	return s, err
}

// change changes n memories in sessions of five projects that have just ended: seven of ten are new, three are seen
// again.
func (b *bed) change(ctx context.Context, spec workload.Spec, n int) error {
	var events []memory.Event
	again := 3 * n / 10
	for e := range workload.Events(spec) {
		if again == 0 {
			break
		}
		if e.Kind == memory.EventCommandFailed || e.Kind == memory.EventFileChanged {
			again--
			e.At = time.Now().UTC()
			e.ID, e.Session = memory.NewEventID(e.At), "again-"+e.Session
			events = append(events, e)
		}
	}
	spec.Seed, spec.Until, spec.Others = spec.Seed+1, time.Now(), leastProjects-1
	spec.Store = 7 * n / 10
	spec.Memories = spec.Store / leastProjects
	for e := range workload.Events(spec) {
		events = append(events, e)
	}
	if err := put(b.home.Spool(), events); err != nil {
		return err
	}
	if _, err := b.home.Memory(ctx, "daemon", "ingest"); err != nil {
		return fmt.Errorf("change the store: %w", err)
	}
	return nil
}

// runJobs runs all jobs one after another on a daemon that has just started.
func (b *bed) runJobs(ctx context.Context, phase string, options []string) (jobsRun, error) {
	run := jobsRun{phase: phase}
	if err := b.home.Stop(ctx); err != nil {
		return run, err
	}
	if err := b.startDaemon(ctx); err != nil {
		return run, err
	}
	for _, job := range schedule.JobNames() {
		if err := errors.Join(b.home.Settle(ctx), b.home.Rest(ctx)); err != nil {
			return run, err
		}
		daemon, engine := b.home.Usage()
		began := time.Now()
		answer, err := b.home.Memory(ctx, append([]string{"daemon", "consolidate", "--force", "--json", "--job", job}, options...)...)
		if err != nil {
			return run, fmt.Errorf("run %s: %w", job, err)
		}
		cost := jobTime{took: time.Since(began)}
		daemonNow, engineNow := b.home.Usage()
		cost.cpu = daemonNow.CPU - daemon.CPU + engineNow.CPU - engine.CPU
		var runs []memory.Run
		if err := json.Unmarshal(answer, &runs); err != nil {
			return run, fmt.Errorf("read the run of %s: %w", job, err)
		}
		for _, one := range runs {
			cost.examined, cost.changed = cost.examined+one.Examined, cost.changed+one.Changed
		}
		run.jobs = append(run.jobs, cost)
		run.peakMB = float64(daemonNow.Peak) / 1e6
	}
	return run, nil
}

func writePhases(out io.Writer, stores []maintenanceStore) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprint(table, "memories\tprojects\trun\t")
	for _, job := range schedule.JobNames() {
		_, _ = fmt.Fprintf(table, "%s s\t", job)
	}
	_, _ = fmt.Fprintln(table, "all s\tCPU s\texamined\tchanged\tpeak MB\t")
	for _, store := range stores {
		for _, phase := range store.phases {
			_, _ = fmt.Fprintf(table, "%d\t%d\t%s\t", store.memories, store.projects, phase.phase)
			for _, job := range phase.jobs {
				_, _ = fmt.Fprintf(table, "%.2f\t", job.took.Seconds())
			}
			all := phase.sum()
			_, _ = fmt.Fprintf(table, "%.2f\t%.2f\t%d\t%d\t%.0f\t\n", all.took.Seconds(), all.cpu.Seconds(), all.examined, all.changed, phase.peakMB)
		}
	}
	return table.Flush()
}

// leastSeconds is the minimum processor time of a job that is compared. Below it the job's queries dominate.
const leastSeconds = 0.2

// writeGrowth compares each job's processor time in the first run between the first and the last store. It should
// grow no faster than the number of memories.
func writeGrowth(out io.Writer, stores []maintenanceStore) error {
	first, last := stores[0], stores[len(stores)-1]
	most := float64(last.memories) / float64(first.memories)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(table, "\nCPU time by memories of similar forms\t%d\t%d\tgrowth\tat most %g\n", first.memories, last.memories, most)
	for i, job := range schedule.JobNames() {
		few, many := first.phase(phaseFirst).jobs[i].cpu.Seconds(), last.phase(phaseFirst).jobs[i].cpu.Seconds()
		growth := many / max(few, leastSeconds)
		_, _ = fmt.Fprintf(table, "%s\t%.2f s\t%.2f s\t%.1f\t%s\n", job, few, many, growth, verdict(growth, most))
	}
	return table.Flush()
}

func verdict(reached, most float64) string {
	if reached > most {
		return "OVER"
	}
	return "ok"
}

// writeVerdicts compares the largest store with the limits.
func writeVerdicts(out io.Writer, stores []maintenanceStore, changed int) error {
	first, last := stores[0], stores[len(stores)-1]
	incremental, full := last.phase(phaseIncremental), last.phase(phaseFull)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(name string, asked, reached float64, unit string) {
		_, _ = fmt.Fprintf(table, "%s\tat most %g %s\t%.2f\t%s\n", name, asked, unit, reached, verdict(reached, asked))
	}
	_, _ = fmt.Fprintf(table, "\n%d memories, %d changed\tasked\treached\t\n", last.memories, changed)
	line("incremental run of all jobs", mostIncremental, incremental.sum().took.Seconds(), "s")
	line("daemon of that run", mostPeak, incremental.peakMB, "MB")
	line("full run of all jobs", mostFull, full.sum().took.Seconds(), "s")
	if least := first.phase(phaseIncremental).sum().took; len(stores) > 1 && least > 0 {
		line(fmt.Sprintf("incremental run compared with that of %d memories", first.memories), mostGrowth, incremental.sum().took.Seconds()/least.Seconds(), "times")
	}
	return table.Flush()
}
