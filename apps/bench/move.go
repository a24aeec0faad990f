package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/sandbox"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
)

func moveCommand() *cli.Command {
	return &cli.Command{
		Name:  "move",
		Usage: "measure memory move, to a server and back",
		Description: "Fills a store as bench hooks --direct does, moves it to a server and back, and compares the rows of all three. The server is an\n" +
			"embedded engine of its own, or the one that " + enginetest.SharedVariable + " names.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "memories", Usage: "memories of the measured project", Value: 10_000},
			&cli.IntFlag{Name: "store", Usage: "memories of the whole store", Value: 100_000},
			&cli.StringFlag{Name: "keep", Usage: "keep the filled store in `DIR`, and start from it the next time"},
			&cli.Uint64Flag{Name: "seed", Usage: "of the workload", Value: 1},
		},
		Action: func(c *cli.Context) error {
			o := options{memories: c.Int("memories"), store: c.Int("store"), keep: c.String("keep"), seed: c.Uint64("seed"), runs: 1, coldRuns: 1, direct: true}
			return measureMove(c.Context, o, c.App.Writer, c.App.ErrWriter)
		},
	}
}

func measureMove(ctx context.Context, o options, out, progress io.Writer) (err error) {
	checkout, err := findCheckout()
	if err != nil {
		return err
	}
	box, err := sandbox.Open(ctx, checkout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	programs, err := findPrograms(checkout, box)
	if err != nil {
		return err
	}
	server, stop, err := moveServer(ctx)
	if err != nil {
		return err
	}
	defer stop()
	m := measurement{box: box, home: box.Home("home"), options: o, programs: programs, progress: progress}
	m.home.Settings = []string{"SURREAL_USER=" + server.User, "SURREAL_PASS=" + server.Pass}
	defer func() { err = errors.Join(err, m.home.Stop(ctx)) }()
	if err := withoutMaintenance(m.home); err != nil {
		return err
	}
	filled, err := m.fill(ctx)
	if err != nil {
		return err
	}
	if err := m.home.Stop(ctx); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "%d memories, %d MB on disk\n", filled.Store, filled.DiskMB)
	name := fmt.Sprintf("move_%d", time.Now().UnixNano())
	for _, to := range []string{server.URL, "embedded"} {
		began := time.Now()
		said, err := m.home.Memory(ctx, "move", "--yes", "--database", name, "--to", to)
		if err != nil {
			return fmt.Errorf("move to %s: %w: %s", to, err, said)
		}
		_, _ = fmt.Fprintf(out, "to %s: %.1f s\n%s", to, time.Since(began).Seconds(), said)
		began = time.Now()
		there := openDatabase(func(context.Context) (engine.Endpoint, error) { return server, nil }, "claude_memory", name)
		digest, err := backup.DigestOf(ctx, surreal.NewStore(there))
		if err := errors.Join(err, there.Close(ctx)); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(out, "the server has %d rows with the hash %s (read in %.1f s)\n", digest.Rows, digest.SHA256, time.Since(began).Seconds())
	}
	return nil
}

// moveServer is an engine on disk, or the one that was named.
func moveServer(ctx context.Context) (server engine.Endpoint, stop func(), err error) {
	if os.Getenv(enginetest.SharedVariable) != "" {
		return enginetest.Open()
	}
	bed, err := openTestbed(ctx, "")
	if err != nil {
		return server, nil, err
	}
	stop = func() { _ = bed.close(context.WithoutCancel(ctx)) } // its folder is temporary
	server, err = bed.supervisor.Endpoint(ctx)
	if err != nil {
		stop()
	}
	return server, stop, err
}
