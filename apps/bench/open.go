package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/sandbox"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/workload"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

// storeOptions describe the store for a measurement.
type storeOptions struct {
	memories int // memories of the measured project
	store    int // memories of the whole store
	seed     uint64
}

// storeFlags returns the flags of a store with its default sizes.
func storeFlags(memories, store int) []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "memories", Usage: "memories of the measured project", Value: memories},
		&cli.IntFlag{Name: "store", Usage: "memories of the whole store", Value: store},
		&cli.Uint64Flag{Name: "seed", Usage: "seed of the workload", Value: 1},
	}
}

func storeOptionsOf(c *cli.Context) (storeOptions, error) {
	o := storeOptions{memories: c.Int("memories"), store: c.Int("store"), seed: c.Uint64("seed")}
	if o.memories < 1 || o.store < o.memories {
		return o, errors.New("there must be at least 1 memory, and the store must be no smaller than its project")
	}
	return o, nil
}

// bed is a sandbox with one home without automatic maintenance, and the programs to run in it.
type bed struct {
	box      *sandbox.Sandbox
	home     *sandbox.Home
	programs []program
	progress io.Writer
}

func (b *bed) say(format string, values ...any) {
	_, _ = fmt.Fprintf(b.progress, format+"\n", values...)
}

// onBed calls measure with a new bed and removes the bed afterwards. Nothing runs in its home yet.
func onBed(ctx context.Context, progress io.Writer, measure func(*bed) error) (err error) {
	checkout, err := findCheckout()
	if err != nil {
		return err
	}
	box, err := sandbox.Open(ctx, checkout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	b := &bed{box: box, home: box.Home("home"), progress: progress}
	if b.programs, err = findPrograms(checkout, box); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.home.Stop(ctx)) }()
	if err := withoutMaintenance(b.home); err != nil {
		return err
	}
	return measure(b)
}

// withoutMaintenance switches off all automatic maintenance of a home: the scheduled jobs, and the jobs that the end of a
// session or an idle member of a team of agents (TeammateIdle) starts.
func withoutMaintenance(home *sandbox.Home) error {
	if err := private.Make(home.Dir); err != nil {
		return err
	}
	return os.WriteFile(paths.Layout{Home: home.Dir}.ConfigFile(), []byte(`{"maintenance": {"enabled": false}}`), 0o600)
}

// startDaemon starts a session, which starts the daemon, and waits until the daemon is ready.
func (b *bed) startDaemon(ctx context.Context) error {
	start, err := b.programOf(sessionStart)
	if err != nil {
		return err
	}
	call, err := b.call(&series{program: start}, start.recording.Session)
	if err != nil {
		return err
	}
	if _, err := b.home.Run(ctx, call); err != nil {
		return err
	}
	return b.home.Ready(ctx)
}

// resident returns the memory use of daemon and engine, for people.
func (b *bed) resident() string {
	daemon, engine := b.home.Usage()
	return fmt.Sprintf("daemon %d MB (at most %d), engine %d MB (at most %d)", daemon.Resident>>20, daemon.Peak>>20, engine.Resident>>20, engine.Peak>>20)
}

// spec returns the workload for a store. Its measured project is the project of the sandbox's sessions.
func (b *bed) spec(o storeOptions) (workload.Spec, error) {
	where, err := project.Identify(b.box.Project)
	return workload.Spec{
		Seed: o.seed, Memories: o.memories, Store: o.store,
		Measured: memory.Project{Key: where.Key, Name: where.Name, Root: where.Root},
	}, err
}

// findCheckout returns the nearest checkout at or above the working directory.
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
