package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/latency"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/sandbox"
)

// options are the options for a measurement of the hooks.
type options struct {
	storeOptions
	runs     int // measured runs of each hook
	coldRuns int
	work     int // events per second of other sessions
	peers    []peer
	facts    bool // all memories are written by a model
	similar  bool // the facts are sentences of a few forms
}

func hooksCommand() *cli.Command {
	return &cli.Command{
		Name:  "hooks",
		Usage: "compare every hook, as a whole process, with an empty program",
		Description: "Starts each program of plugin/hooks/hooks.json as the client does, in turns with an empty static\n" +
			"program, on a store filled through spool and daemon. A budget limits the ratio of the medians;\n" +
			"for a cold start it limits the slowest run. Maintenance is off. Build the programs first (make build).\n" +
			"Filling a store of 100,000 memories takes some minutes.",
		Flags: append(storeFlags(1000, 5000),
			&cli.IntFlag{Name: "runs", Usage: "measured runs of each hook", Value: 50},
			&cli.IntFlag{Name: "cold-runs", Usage: "measured cold starts of a session", Value: 10},
			&cli.BoolFlag{Name: "facts", Usage: "fill the store with facts by a model, each with cues"},
			&cli.BoolFlag{Name: "similar", Usage: "with --facts: give all facts a few forms that differ in numbers"},
			&cli.IntFlag{Name: "under-work", Usage: "events per second of other sessions during the measurement; 0: at rest"},
			&cli.StringSliceFlag{Name: "peer", Usage: "time another program with the same inputs: `NAME=COMMAND` (repeatable); {event} is replaced by the event's name"},
		),
		Action: func(c *cli.Context) error {
			o := options{
				runs: c.Int("runs"), coldRuns: c.Int("cold-runs"), work: c.Int("under-work"),
				facts: c.Bool("facts"), similar: c.Bool("similar"),
			}
			var err error
			if o.storeOptions, err = storeOptionsOf(c); err != nil {
				return err
			}
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
	if o.similar && !o.facts {
		return errors.New("--similar needs --facts")
	}
	if o.runs < 1 || o.coldRuns < 1 {
		return errors.New("runs and cold runs must be at least 1")
	}
	return nil
}

// measureHooks runs the whole measurement and prints the table. It fails if runs failed, but not if a budget is
// exceeded.
func measureHooks(ctx context.Context, o options, out, progress io.Writer) error {
	report := latency.Report{
		Seed: o.seed, Work: o.work,
		Machine: fmt.Sprintf("%s/%s, %d CPUs, floor built by %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()),
	}
	err := onBed(ctx, progress, func(b *bed) error {
		version, err := b.home.Memory(ctx, "--version")
		if err != nil {
			return err
		}
		report.Version = strings.TrimPrefix(strings.TrimSpace(string(version)), "memory version ")
		spec, err := b.spec(o.storeOptions)
		if err != nil {
			return err
		}
		spec.Known, spec.Facts, spec.Similar = known, o.facts, o.similar
		if report.Store, err = b.fill(ctx, spec); err != nil {
			return err
		}
		m := measurement{bed: b, options: o}
		return m.run(ctx, &report)
	})
	if err != nil {
		return err
	}
	return errors.Join(report.Write(out), failures(report))
}

// failures returns an error if any run failed, because the times of failed runs are no result.
func failures(report latency.Report) error {
	var failed []string
	for _, h := range report.Hooks {
		if h.Failed > 0 {
			failed = append(failed, h.Name)
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("some runs failed, so the times are not valid: %s", strings.Join(failed, ", "))
	}
	return nil
}

// peer is another program that is timed in the same way.
type peer struct {
	name    string
	command []string // the program and its arguments
}

// eventPlace, in an argument of a peer, is replaced by the name of the event.
const eventPlace = "{event}"

// parsePeers parses NAME=COMMAND. Spaces separate the arguments of the command.
func parsePeers(given []string) ([]peer, error) {
	var peers []peer
	for _, one := range given {
		name, command, _ := strings.Cut(one, "=")
		fields := strings.Fields(command)
		if strings.TrimSpace(name) == "" || len(fields) == 0 {
			return nil, fmt.Errorf("peer %q: want NAME=COMMAND, such as other='/opt/other/hook %s'", one, eventPlace)
		}
		peers = append(peers, peer{strings.TrimSpace(name), fields})
	}
	return peers, nil
}

// call returns the peer's call for an event.
func (p peer) call(event string) sandbox.Call {
	args := make([]string, 0, len(p.command))
	for _, arg := range p.command {
		args = append(args, strings.ReplaceAll(arg, eventPlace, event))
	}
	return sandbox.Call{Command: args[0], Args: args[1:]}
}

// peerSeries returns a series for each peer and program.
func (m *measurement) peerSeries(programs []program) []*series {
	var all []*series
	for _, p := range m.options.peers {
		for _, one := range programs {
			all = append(all, &series{program: one, peer: &p})
		}
	}
	return all
}
