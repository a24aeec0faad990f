package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/jobs"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens/bpe"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

// The bounds that maintenance is held to.
const (
	mostIncremental = 5.0   // seconds
	mostFull        = 120.0 // seconds
	mostPeak        = 150.0 // MB of the process that runs an incremental run
	mostGrowth      = 1.5   // of an incremental run, from the smallest store to the largest
)

// maintenanceOptions are the user's options for a measurement of maintenance.
type maintenanceOptions struct {
	memories []int // of each store that is measured
	projects int   // that share them; 0 for one for each memoriesOfProject
	changed  int
	seed     uint64
	report   string // file for the JSON
	keep     string // folder of settled stores, to start from; empty for none
	isAlike  bool   // the memories have a few forms
}

func consolidateCommand() *cli.Command {
	return &cli.Command{
		Name:  "consolidate",
		Usage: "measure the maintenance jobs on stores of several sizes",
		Description: "Fills a store on a real engine that keeps its data on disk, through Store.Ingest with what the\n" +
			"product makes of events, runs all jobs until nothing is left to do, changes some memories, and runs all\n" +
			"jobs on what has changed, then on everything. The jobs run in a process of their own, as in an agent\n" +
			"that does nothing else; its memory is the peak of its resident set. A larger store has more projects of\n" +
			"the same size, or with --projects as many that are larger. 100,000 memories take some ten minutes.",
		Flags: []cli.Flag{
			&cli.IntSliceFlag{Name: "memories", Usage: "memories of the store; may be given again", Value: cli.NewIntSlice(10_000, 100_000)},
			&cli.IntFlag{Name: "projects", Usage: "projects that share them", DefaultText: "one for each 1,000 memories"},
			&cli.IntFlag{Name: "changed", Usage: "memories that are new, seen again or used before the incremental run", Value: 1000},
			&cli.Uint64Flag{Name: "seed", Usage: "of the workload", Value: 1},
			&cli.StringFlag{Name: "json", Usage: "write the report to `FILE`"},
			&cli.BoolFlag{Name: "alike", Usage: "all memories have a few forms and differ in a number, in five projects; compares the jobs of the first and the last store"},
			&cli.StringFlag{Name: "keep", Usage: "keep settled stores in `DIR`, and start from them the next time"},
		},
		Action: func(c *cli.Context) error {
			o := maintenanceOptions{
				memories: c.IntSlice("memories"), projects: c.Int("projects"), changed: c.Int("changed"),
				seed: c.Uint64("seed"), report: c.String("json"), keep: c.String("keep"), isAlike: c.Bool("alike"),
			}
			if err := o.validate(); err != nil {
				return err
			}
			return measureMaintenance(c.Context, o, c.App.Writer, c.App.ErrWriter)
		},
	}
}

// memoriesOfProject is how large a project is unless the user says otherwise.
const memoriesOfProject = 1000

func (o maintenanceOptions) projectsOf(memories int) int {
	if o.projects > 0 {
		return o.projects
	}
	if o.isAlike {
		return busyProjects
	}
	return max(busyProjects, memories/memoriesOfProject)
}

func (o maintenanceOptions) validate() error {
	if o.projects != 0 && o.projects < busyProjects || o.changed < 1 {
		return fmt.Errorf("at least %d projects and 1 changed memory are needed", busyProjects)
	}
	for _, n := range o.memories {
		if n < o.changed {
			return fmt.Errorf("a store of %d memories cannot have %d changed ones", n, o.changed)
		}
	}
	return nil
}

// maintenanceReport is the JSON of bench consolidate.
type maintenanceReport struct {
	MeasuredAt time.Time          `json:"measured_at"`
	Changed    int                `json:"changed"`
	Stores     []maintenanceStore `json:"stores"`
	Growth     float64            `json:"growth,omitempty"` // of the incremental run, from the first store to the last
	Asked      map[string]float64 `json:"asked"`
}

// maintenanceStore holds the figures of one store.
type maintenanceStore struct {
	Memories      int       `json:"memories"`
	Projects      int       `json:"projects"`
	FillSeconds   float64   `json:"fill_seconds"`
	FillPerSecond float64   `json:"fill_per_second"` // memories
	Phases        []jobsRun `json:"phases"`
}

const (
	phaseFirst       = "first"
	phaseSettle      = "settle"
	phaseIncremental = "incremental"
	phaseIdle        = "nothing changed"
	phaseFull        = "full"
	// settledAgo is when the store is filled and settled: the rows archived then no
	// longer count against the limit of a run, and projects have had a night.
	settledAgo = 24 * time.Hour
	// mostSettling bounds the runs until nothing is left to do.
	mostSettling = 10
)

func (s maintenanceStore) phase(name string) jobsRun {
	for _, phase := range s.Phases {
		if phase.Phase == name {
			return phase
		}
	}
	return jobsRun{}
}

func measureMaintenance(ctx context.Context, o maintenanceOptions, out, progress io.Writer) error {
	report := maintenanceReport{
		MeasuredAt: time.Now().UTC(), Changed: o.changed,
		Asked: map[string]float64{"incremental_seconds": mostIncremental, "full_seconds": mostFull, "peak_mb": mostPeak, "growth": mostGrowth},
	}
	for _, n := range o.memories {
		store, err := measureStore(ctx, n, o, progress)
		if err != nil {
			return fmt.Errorf("measure maintenance of %d memories: %w", n, err)
		}
		report.Stores = append(report.Stores, store)
	}
	first, last := report.Stores[0], report.Stores[len(report.Stores)-1]
	if least := first.phase(phaseIncremental).total(); len(report.Stores) > 1 && least > 0 {
		report.Growth = last.phase(phaseIncremental).total() / least
	}
	err := report.write(out)
	if o.isAlike {
		err = errors.Join(err, report.writeGrowth(out))
	}
	if o.report != "" {
		err = errors.Join(err, writeMaintenanceJSON(o.report, report))
	}
	return err
}

// measureStore settles a store and measures the phases of its maintenance.
func measureStore(ctx context.Context, n int, o maintenanceOptions, progress io.Writer) (maintenanceStore, error) {
	m := &measuring{
		maintenanceStore: maintenanceStore{Memories: n, Projects: o.projectsOf(n)},
		until:            time.Now().Add(-settledAgo), seed: o.seed, changed: o.changed, progress: progress, isAlike: o.isAlike,
	}
	var err error
	if o.keep == "" {
		err = m.onTestbed(ctx, "", func(bed *testbed) error {
			if err := m.settle(ctx, bed); err != nil {
				return err
			}
			return m.measure(ctx, bed)
		})
		return m.maintenanceStore, err
	}
	kept := keptStore{dir: filepath.Join(o.keep, fmt.Sprintf("%d-%d-%d%s", n, m.Projects, o.seed, suffix(o.isAlike)))}
	if err = kept.prepare(ctx, m); err == nil {
		err = m.onTestbed(ctx, kept.data(), func(bed *testbed) error { return m.measure(ctx, bed) })
	}
	return m.maintenanceStore, err
}

// measuring is the measurement of one store.
type measuring struct {
	maintenanceStore
	life     *life
	until    time.Time // when the store is filled and settled
	seed     uint64
	changed  int
	progress io.Writer
	isAlike  bool
}

func (m *measuring) say(format string, values ...any) {
	_, _ = fmt.Fprintf(m.progress, format+"\n", values...)
}

// onTestbed does something with a testbed of its own, which starts with a copy of
// the data of another, if any.
func (m *measuring) onTestbed(ctx context.Context, data string, do func(*testbed) error) (err error) {
	bed, err := openTestbed(ctx, data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.close(ctx)) }()
	return do(bed)
}

func (m *measuring) phase(ctx context.Context, bed *testbed, name string, request jobsRequest) (jobsRun, error) {
	run, err := bed.jobs(ctx, request)
	run.Phase = name
	m.Phases = append(m.Phases, run)
	m.say("%s: %.2f s (CPU %.2f s), %d rows examined, %d changed, peak %.0f MB", name, run.total(), run.CPUSeconds, run.examined(), run.changed(), run.PeakMB)
	return run, err
}

// settle fills a store and runs all jobs until nothing is left to do.
func (m *measuring) settle(ctx context.Context, bed *testbed) error {
	m.life = newLife(m.seed, m.Projects, bed.counter, m.until)
	m.life.isAlike = m.isAlike
	began := time.Now()
	if err := m.life.fill(ctx, bed.store, m.Memories); err != nil {
		return err
	}
	m.FillSeconds = time.Since(began).Seconds()
	m.FillPerSecond = float64(m.Memories) / m.FillSeconds
	m.say("%d memories of %d projects filled in, %.0f/s", m.Memories, m.Projects, m.FillPerSecond)
	if _, err := m.phase(ctx, bed, phaseFirst, jobsRequest{Force: true, Ago: time.Since(m.until)}); err != nil {
		return err
	}
	for range mostSettling {
		run, err := m.phase(ctx, bed, phaseSettle, jobsRequest{Force: true, Ago: time.Since(m.until)})
		if err != nil || run.changed() == 0 {
			return err
		}
	}
	return nil
}

// measure changes some memories of a settled store and runs all jobs on the changed rows,
// on nothing, and on everything.
func (m *measuring) measure(ctx context.Context, bed *testbed) error {
	if err := m.life.change(ctx, bed.store, m.changed); err != nil {
		return err
	}
	for _, next := range []struct {
		name    string
		request jobsRequest
	}{{phaseIncremental, jobsRequest{}}, {phaseIdle, jobsRequest{}}, {phaseFull, jobsRequest{All: true}}} {
		if _, err := m.phase(ctx, bed, next.name, next.request); err != nil {
			return err
		}
	}
	return nil
}

// testbed is a real engine that keeps its data on disk, with an up-to-date schema.
type testbed struct {
	dir        string
	supervisor *engine.Supervisor
	conn       *wire.Conn
	store      *surreal.Store
	counter    *bpe.Counter
	namespace  string
	database   string
}

const testbedNamespace = "bench"

// openTestbed starts with a copy of data, if it is given.
func openTestbed(ctx context.Context, data string) (bed *testbed, err error) {
	bed = &testbed{namespace: testbedNamespace, database: "consolidate"}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("open an engine to measure on: %w", err), bed.close(ctx))
		}
	}()
	if bed.dir, err = os.MkdirTemp("", "memory-bench-"); err != nil {
		return bed, err
	}
	if data != "" {
		if err := os.CopyFS(bed.dir, os.DirFS(data)); err != nil {
			return bed, err
		}
	}
	return bed, bed.start(ctx, filepath.Join(bed.dir, "data"))
}

// start starts an engine on a folder and brings its schema up to date.
func (b *testbed) start(ctx context.Context, data string) error {
	sources, packages, err := enginetest.Dirs()
	if err != nil {
		return err
	}
	b.supervisor, err = engine.Start(ctx, engine.Options{
		DataPath: data, RunDir: filepath.Join(b.dir, "run"), Sources: sources, Packages: packages, HomeDir: b.dir, Output: os.Stderr,
	})
	if err != nil {
		return err
	}
	b.conn = openDatabase(b.supervisor.Endpoint, b.namespace, b.database)
	b.store = surreal.NewStore(b.conn)
	if b.counter, err = bpe.New(config.Default().Tokens.Encoding); err != nil {
		return err
	}
	all, err := migrate.Load(migrations.FS)
	if err != nil {
		return err
	}
	bootstrap, err := schema.Bootstrap()
	if err != nil {
		return err
	}
	_, err = migrate.Up(ctx, surreal.NewMigrationStore(b.conn, bootstrap), all, migrate.Options{})
	return err
}

// openDatabase connects with the time limits of the agent.
func openDatabase(locate func(context.Context) (engine.Endpoint, error), namespace, database string) *wire.Conn {
	return wire.Open(wire.Options{
		Locate: func(ctx context.Context) (wire.Endpoint, error) {
			endpoint, err := locate(ctx)
			return wire.Endpoint(endpoint), err
		},
		Namespace: namespace, Database: database,
	})
}

// stop ends the engine, so that its data can be copied.
func (b *testbed) stop(ctx context.Context) error {
	var err error
	if b.conn != nil {
		err = b.conn.Close(ctx)
	}
	if b.supervisor != nil {
		err = errors.Join(err, b.supervisor.Stop(ctx))
	}
	b.conn, b.supervisor = nil, nil
	return err
}

func (b *testbed) close(ctx context.Context) error {
	err := b.stop(context.WithoutCancel(ctx))
	if b.dir != "" {
		err = errors.Join(err, os.RemoveAll(b.dir))
	}
	return err
}

// jobs runs all jobs in a process of their own.
func (b *testbed) jobs(ctx context.Context, request jobsRequest) (run jobsRun, err error) {
	if request.Endpoint, err = b.supervisor.Endpoint(ctx); err != nil {
		return run, err
	}
	request.Database, request.Engine = b.database, b.supervisor.State().PID
	input, err := json.Marshal(request)
	if err != nil {
		return run, err
	}
	self, err := os.Executable()
	if err != nil {
		return run, err
	}
	cmd := exec.CommandContext(ctx, self, jobsCommandName)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe() // not an argument: it holds the engine's password
	if err != nil {
		return run, err
	}
	go func() {
		_, _ = stdin.Write(input)
		_ = stdin.Close()
	}()
	before := cpuSeconds(b.supervisor.State().PID)
	output, err := cmd.Output()
	if err != nil {
		return run, fmt.Errorf("run the jobs: %w", err)
	}
	err = json.Unmarshal(output, &run)
	if before > 0 {
		run.CPUSeconds = cpuSeconds(b.supervisor.State().PID) - before + cmd.ProcessState.UserTime().Seconds() + cmd.ProcessState.SystemTime().Seconds()
	}
	return run, err
}

// cpuSeconds is the processor time of a process; 0 where the system does not tell.
func cpuSeconds(pid int) float64 {
	const ticks = 100 // a second, on every Linux
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(stat, []byte(") ")) // the name before may hold anything
	fields := strings.Fields(string(rest))
	if len(fields) < 13 {
		return 0
	}
	user, errUser := strconv.ParseFloat(fields[11], 64)
	system, errSystem := strconv.ParseFloat(fields[12], 64)
	if errors.Join(errUser, errSystem) != nil {
		return 0
	}
	return (user + system) / ticks
}

func (r maintenanceReport) write(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprint(table, "memories\tprojects\trun\t")
	for _, job := range jobs.Names() {
		_, _ = fmt.Fprintf(table, "%s s\t", job)
	}
	_, _ = fmt.Fprintln(table, "all s\tCPU s\texamined\tchanged\tpeak MB\t")
	for _, store := range r.Stores {
		for _, phase := range store.Phases {
			_, _ = fmt.Fprintf(table, "%d\t%d\t%s\t", store.Memories, store.Projects, phase.Phase)
			for _, job := range phase.Jobs {
				_, _ = fmt.Fprintf(table, "%.2f\t", job.Seconds)
			}
			_, _ = fmt.Fprintf(table, "%.2f\t%.2f\t%d\t%d\t%.0f\t\n", phase.total(), phase.CPUSeconds, phase.examined(), phase.changed(), phase.PeakMB)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return r.writeVerdicts(out)
}

// leastSeconds is the processor time below which a job's is not compared: it is that of its questions.
const leastSeconds = 0.2

// writeGrowth holds each job's processor time for everything, in the last store, against that in the first: it is to grow as the
// memories do.
func (r maintenanceReport) writeGrowth(out io.Writer) error {
	first, last := r.Stores[0], r.Stores[len(r.Stores)-1]
	most := float64(last.Memories) / float64(first.Memories)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(table, "\nCPU, memories of a few forms\t%d\t%d\tgrowth\tat most %g\n", first.Memories, last.Memories, most)
	for i, job := range first.phase(phaseFirst).Jobs {
		few, many := job.CPU, last.phase(phaseFirst).Jobs[i].CPU
		verdict := "ok"
		if growth := many / max(few, leastSeconds); growth > most {
			verdict = "OVER"
		}
		_, _ = fmt.Fprintf(table, "%s\t%.2f s\t%.2f s\t%.1f\t%s\n", job.Job, few, many, many/max(few, leastSeconds), verdict)
	}
	return table.Flush()
}

// writeVerdicts holds the largest store against the bounds.
func (r maintenanceReport) writeVerdicts(out io.Writer) error {
	last := r.Stores[len(r.Stores)-1]
	incremental, full := last.phase(phaseIncremental), last.phase(phaseFull)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(what string, asked, reached float64, unit string) {
		verdict := "ok"
		if reached > asked {
			verdict = "OVER"
		}
		_, _ = fmt.Fprintf(table, "%s\tat most %g %s\t%.2f\t%s\n", what, asked, unit, reached, verdict)
	}
	_, _ = fmt.Fprintf(table, "\n%d memories, %d changed\tasked\treached\t\n", last.Memories, r.Changed)
	line("incremental run of all jobs", mostIncremental, incremental.total(), "s")
	line("its process", mostPeak, incremental.PeakMB, "MB")
	line("full run of all jobs", mostFull, full.total(), "s")
	if r.Growth > 0 {
		line(fmt.Sprintf("incremental run against that of %d memories", r.Stores[0].Memories), mostGrowth, r.Growth, "times")
	}
	return table.Flush()
}

func writeMaintenanceJSON(file string, report maintenanceReport) error {
	content, err := json.MarshalIndent(report, "", "  ")
	if err == nil {
		err = os.WriteFile(file, append(content, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
