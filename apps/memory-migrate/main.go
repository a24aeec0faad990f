// Command memory-migrate brings the store of a home to the schema of this version. Setup runs it; the daemon does the same
// when it opens the store.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/database"
)

// version is set by the linker.
var version = "dev"

// errUsage is returned for an invalid command line.
var errUsage = errors.New(`usage:
  memory-migrate up           bring the store to the schema of this version; a running daemon is ended for it
  memory-migrate --version    print the version`)

const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Getenv)
	stop()
	switch {
	case errors.Is(err, errUsage):
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(exitUsage)
	case err != nil:
		_, _ = fmt.Fprintln(os.Stderr, "memory-migrate:", err)
		os.Exit(exitFailed)
	}
}

// run runs one command.
func run(ctx context.Context, args []string, stdout io.Writer, getenv func(string) string) error {
	switch {
	case slices.Equal(args, []string{"up"}):
		layout := paths.FromEnv(getenv)
		cfg, _ := config.Load(layout.ConfigFile(), getenv) // the daemon reports problems of the settings
		r := &database.Rescuer{Layout: layout, Config: cfg, Version: version, Out: stdout}
		return r.Migrate(ctx)
	case slices.Equal(args, []string{"--version"}):
		_, err := fmt.Fprintln(stdout, "memory-migrate", version)
		return err
	}
	return errUsage
}
