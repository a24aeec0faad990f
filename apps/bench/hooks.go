package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/latency"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/sandbox"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
)

// options are the user's options for a measurement of the hooks.
type options struct {
	runs     int // measured ones of each hook
	coldRuns int
	memories int // in the measured project
	store    int // in the whole store
	work     int // events of other sessions a second
	peers    []peer
	stated   bool   // all memories are statements
	facts    bool   // a model wrote all memories of the measured project
	similar  bool   // these are sentences of one form
	direct   bool   // the store is filled without spool and agent
	keep     string // folder of the store so filled, to start from; empty for none
	// durability is the setting hooks.durability, the kind of crash that a captured event survives, or
	// bothDurabilities.
	durability string
	seed       uint64
	report     string // file for the JSON
	plugin     string // folder of the plugin; empty: the checkout's
}

// bothDurabilities has each capture hook measured in both settings of hooks.durability, in turns.
const bothDurabilities = "both"

func hooksCommand() *cli.Command {
	return &cli.Command{
		Name:  "hooks",
		Usage: "measure every hook as a whole process against an empty program",
		Description: "Starts each program of plugin/hooks/hooks.json as the client does, in turns with an empty static\n" +
			"program, on a store filled through spool and agent. A budget bounds the ratio of the medians;\n" +
			"that of a cold start bounds its slowest run. Maintenance is put off. Build the programs before (make build).\n" +
			"Filling the default store takes more than ten minutes; --runs 50 --memories 1000 --store 5000\n" +
			"does for a quick look.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "runs", Usage: "measured runs of each hook", Value: 200},
			&cli.IntFlag{Name: "cold-runs", Usage: "measured cold starts of a session, and runs of set-up", Value: 10},
			&cli.IntFlag{Name: "memories", Usage: "memories of the measured project", Value: 10_000},
			&cli.IntFlag{Name: "store", Usage: "memories of the whole store", Value: 100_000},
			&cli.BoolFlag{Name: "direct", Usage: "fill the store without spool and agent, and copy one project instead of making up many, as for --store 1000000"},
			&cli.StringFlag{Name: "keep", Usage: "with --direct: keep the filled store in `DIR`, and start from it the next time"},
			&cli.BoolFlag{Name: "facts", Usage: "fill the store directly, with facts of a model, each with cues, in place of the measured project's memories"},
			&cli.BoolFlag{Name: "similar", Usage: "with --facts: make all facts sentences of one form, which differ in two numbers"},
			&cli.IntFlag{Name: "under-work", Usage: "measure while so many events a second of other sessions come in; 0: at rest"},
			&cli.StringFlag{Name: "durability", Usage: "the setting hooks.durability: power, or process for hooks that do not wait for the disk; both: each capture hook in both, and the budget is that of process", Value: bothDurabilities},
			&cli.StringSliceFlag{Name: "peer", Usage: "time another program with the same inputs, `NAME=COMMAND` (repeatable); {event} in it is the event's name"},
			&cli.Uint64Flag{Name: "seed", Usage: "of the workload and of the order of the runs", Value: 1},
			pluginFlag(),
			&cli.StringFlag{Name: "json", Usage: "write the report to `FILE`", DefaultText: "apps/bench/out/hooks.json"},
		},
		Action: func(c *cli.Context) error {
			o := options{
				runs: c.Int("runs"), coldRuns: c.Int("cold-runs"), memories: c.Int("memories"),
				store: c.Int("store"), direct: c.Bool("direct"), keep: c.String("keep"), work: c.Int("under-work"), seed: c.Uint64("seed"), report: c.String("json"),
				durability: c.String("durability"), facts: c.Bool("facts"), similar: c.Bool("similar"), plugin: c.String("plugin"),
			}
			if o.facts {
				o.direct, o.stated = true, true
			}
			var err error
			if o.peers, err = parsePeers(c.StringSlice("peer")); err != nil {
				return err
			}
			if err := o.validate(); err != nil {
				return err
			}
			return measureHooks(c.Context, o, c.App.Writer, c.App.ErrWriter)
		},
	}
}

func (o options) validate() error {
	if o.work < 0 || o.work > 1000 {
		return errors.New("under-work must be from 0 to 1000 events a second")
	}
	if o.keep != "" && !o.direct {
		return errors.New("only a store that is filled with --direct can be kept")
	}
	if o.similar && !o.facts {
		return errors.New("only facts are made similar: give --facts, too")
	}
	if o.keep != "" && o.facts {
		return errors.New("a store of facts is not kept: leave out --keep")
	}
	if !slices.Contains([]string{config.DurabilityPower, config.DurabilityProcess, bothDurabilities}, o.durability) {
		return fmt.Errorf("durability %q: want %s, %s or %s", o.durability, config.DurabilityPower, config.DurabilityProcess, bothDurabilities)
	}
	if o.runs < 1 || o.coldRuns < 1 || o.memories < 1 || o.store < o.memories {
		return errors.New("runs, cold runs and memories must be at least 1, and the store no smaller than its project")
	}
	return nil
}

// measureHooks runs the whole measurement, prints the table and writes the
// JSON. Failed runs are an error; a budget that is not kept is a result.
func measureHooks(ctx context.Context, o options, out, progress io.Writer) error {
	checkout, err := findCheckout()
	if err != nil {
		return err
	}
	report, err := inSandbox(ctx, checkout, o, progress)
	if err != nil {
		return err
	}
	if o.report == "" {
		o.report = filepath.Join(checkout, "apps", "bench", "out", "hooks.json")
	}
	return errors.Join(report.Write(out), writeJSON(o.report, report), failures(report))
}

func inSandbox(ctx context.Context, checkout string, o options, progress io.Writer) (report latency.Report, err error) {
	box, err := sandbox.OpenInstalled(ctx, checkout, cmp.Or(o.plugin, filepath.Join(checkout, "plugin")))
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	programs, err := findPrograms(checkout, box)
	if err != nil {
		return report, err
	}
	m := measurement{box: box, home: box.Home("home"), options: o, programs: programs, progress: progress}
	defer func() { err = errors.Join(err, m.home.Stop(ctx)) }()
	if err := withoutMaintenance(m.home); err != nil {
		return report, err
	}

	report = latency.Report{
		MeasuredAt: time.Now().UTC(), Seed: o.seed, Work: o.work, Durability: o.durability,
		Machine: latency.Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version()},
	}
	version, err := m.home.Memory(ctx, "--version")
	if err != nil {
		return report, err
	}
	report.Version = strings.TrimPrefix(strings.TrimSpace(string(version)), "memory version ")
	if report.Store, err = m.fill(ctx); err != nil {
		return report, err
	}
	report.Floor, report.Hooks, report.Resident, err = m.run(ctx)
	return report, err
}

// findCheckout walks up from the working directory.
func findCheckout() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "plugin", "hooks", "hooks.json")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is not in a checkout: there is no plugin/hooks/hooks.json above it", dir)
		}
	}
}

func writeJSON(file string, value any) error {
	content, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	if err := os.WriteFile(file, append(content, '\n'), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}

// failures is an error if any run failed: such a table must not look like a
// result.
func failures(report latency.Report) error {
	var failed []string
	for _, h := range report.Hooks {
		if h.Failed > 0 {
			failed = append(failed, h.Name)
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return fmt.Errorf("runs failed, and their times mean nothing: %s", strings.Join(failed, ", "))
}
