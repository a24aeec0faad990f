// Command memory-migrate brings the store of a home to the schema of this version (up), and helps contributors to write
// migrations (new, sum). Setup runs it; the daemon does the same when it opens the store.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/database"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
)

// version is set by the linker.
var version = "dev"

// errUsage is returned for an invalid command line.
var errUsage = errors.New(`usage:
  memory-migrate up           bring the store to the schema of this version; a running daemon is ended for it
  memory-migrate new NAME     create the next migration in the folder migrations
  memory-migrate sum          update the checksums after editing a migration
  memory-migrate --version    print the version`)

const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, "migrations", os.Args[1:], os.Stdout, os.Getenv)
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

// run runs one command. new and sum write to dir, and print the path of the written file.
func run(ctx context.Context, dir string, args []string, stdout io.Writer, getenv func(string) string) (err error) {
	var told string
	switch {
	case len(args) == 1 && args[0] == "up":
		layout := paths.FromEnv(getenv)
		cfg, _ := config.Load(layout.ConfigFile(), getenv) // the daemon reports problems of the settings
		r := &database.Rescuer{Layout: layout, Config: cfg, Version: version, Out: stdout}
		return r.Migrate(ctx)
	case len(args) == 2 && args[0] == "new":
		told, err = migrate.New(dir, args[1])
	case len(args) == 1 && args[0] == "sum":
		told, err = filepath.Join(dir, migrate.SumFile), migrate.UpdateSums(dir)
	case len(args) == 1 && args[0] == "--version":
		told = "memory-migrate " + version
	default:
		return errUsage
	}
	if err == nil {
		_, err = fmt.Fprintln(stdout, told)
	}
	return err
}
