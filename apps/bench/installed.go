package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/latency"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/sandbox"
)

func pluginFlag() *cli.StringFlag {
	return &cli.StringFlag{Name: "plugin", Usage: "measure the plugin in `DIR`, such as surrealdb-memory-VERSION/plugin of an unpacked release", DefaultText: "that of the checkout"}
}

func installedCommand() *cli.Command {
	return &cli.Command{
		Name:  "installed",
		Usage: "measure how soon a plugin is ready, and what its processes have of the memory at rest",
		Description: "Starts agent and engine on empty homes, then fills one, waits until the engine sleeps, and asks\n" +
			"the system for the resident memory of all processes (Linux).",
		Flags: []cli.Flag{
			pluginFlag(),
			&cli.IntFlag{Name: "runs", Usage: "starts that are timed", Value: 10},
			&cli.IntFlag{Name: "store", Usage: "memories of the store that sleeps", Value: 5000},
		},
		Action: func(c *cli.Context) error {
			if c.Int("runs") < 1 || c.Int("store") < 1 {
				return errors.New("runs and store must be at least 1")
			}
			return measureInstalled(c.Context, c.String("plugin"), c.Int("runs"), c.Int("store"), c.App.Writer, c.App.ErrWriter)
		},
	}
}

// installedSleep is after how long without work the measured engine ends; a user's ends after ten minutes.
const installedSleep = 3 * time.Second

func measureInstalled(ctx context.Context, plugin string, runs, store int, out, progress io.Writer) (err error) {
	checkout, err := findCheckout()
	if err != nil {
		return err
	}
	box, err := sandbox.OpenInstalled(ctx, checkout, cmp.Or(plugin, filepath.Join(checkout, "plugin")))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	var took []time.Duration
	for n := range runs {
		one, err := timeToReady(ctx, box.Home(fmt.Sprintf("new-%d", n)))
		if err != nil {
			return err
		}
		took = append(took, one)
	}
	ready := latency.Summarise(took)
	_, _ = fmt.Fprintf(out, "ready on an empty home: median %.0f ms, slowest of %d %.0f ms\n", ready.P50, runs, ready.Max)

	programs, err := findPrograms(checkout, box)
	if err != nil {
		return err
	}
	home := box.Home("asleep")
	home.Settings = []string{"MEMORY_AGENT_ENGINE_SLEEP=" + installedSleep.String()}
	m := measurement{box: box, home: home, programs: programs, options: options{memories: min(1000, store), store: store}, progress: progress}
	defer func() { err = errors.Join(err, home.Stop(ctx)) }()
	if err := withoutMaintenance(home); err != nil {
		return err
	}
	if _, err := m.fill(ctx); err != nil {
		return err
	}
	agent, engine := home.Usage()
	_, _ = fmt.Fprintf(out, "with %d memories just stored: agent %d MB, engine %d MB\n", store, agent.Resident>>20, engine.Resident>>20)
	if err := asleep(ctx, home); err != nil {
		return err
	}
	agent, engine = home.Usage()
	_, err = fmt.Fprintf(out, "while the engine sleeps: agent %d MB, engine %d MB\n", agent.Resident>>20, engine.Resident>>20)
	return err
}

// timeToReady is how long a home that does not exist yet takes until its agent can answer.
func timeToReady(ctx context.Context, home *sandbox.Home) (took time.Duration, err error) {
	began := time.Now()
	if _, err := home.Memory(ctx, "agent", "start"); err != nil {
		return 0, err
	}
	took = time.Since(began)
	return took, errors.Join(home.Stop(ctx), home.Remove())
}

// sleepTime bounds the wait for the engine's sleep; the agent gives memory back to the system meanwhile.
const sleepTime = 2 * time.Minute

func asleep(ctx context.Context, home *sandbox.Home) error {
	err := sandbox.Poll(ctx, sleepTime, time.Second, func() (bool, error) {
		_, engine := home.Usage()
		return engine.Resident == 0, nil
	})
	if err != nil {
		return fmt.Errorf("wait until the engine sleeps: %w", err)
	}
	return home.Rest(ctx)
}
