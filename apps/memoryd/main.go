// Command memoryd is the daemon. Each home has one daemon, which hooks start when it is missing. It supervises a
// local engine, keeps the schema up to date, empties the spool into the store, answers hooks, and runs maintenance.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/resident"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/database"
)

// The linker sets both. stamp is the time of the source in seconds since 1970.
var (
	version = "dev"
	stamp   = "0"
)

// ownBuild returns the build of this program.
func ownBuild() resident.Build {
	seconds, _ := strconv.ParseInt(stamp, 10, 64) // an invalid stamp is zero, the oldest build
	return resident.Build{Version: version, Stamp: seconds}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.Getenv)
	stop()
	os.Exit(code)
}

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer, getenv func(string) string) int {
	flags := flag.NewFlagSet("memoryd", flag.ContinueOnError)
	flags.SetOutput(stderr)
	install := flags.Bool("install-engine", false, "install the embedded engine if this machine needs it, and exit")
	restore := flags.String("restore", "", "restore the store from a backup `FILE`, and exit")
	rebuild := flags.Bool("rebuild", false, "rebuild the store from the newest backup and the journal, and exit")
	force := flags.Bool("force", false, "let --rebuild use the new store even if it has fewer rows than the old one")
	showBuild := flags.Bool("build", false, "print this program's version and stamp as JSON, and exit")
	flags.Usage = func() {
		_, _ = fmt.Fprint(stderr, "Usage: memoryd [FLAG]\n\nRuns the daemon for MEMORY_HOME until it is stopped. Hooks start it automatically.\n\n")
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	case flags.NArg() > 0:
		_, _ = fmt.Fprintf(stderr, "memoryd: unknown argument %q\n", flags.Arg(0))
		flags.Usage()
		return exitUsage
	}

	isInClient := client.Around(getenv, process.Ancestors) != ""
	if isInClient {
		getenv = trusted(getenv)
	}
	layout := paths.FromEnv(getenv)
	cfg, problems := config.Load(layout.ConfigFile(), getenv)
	rescuer := &database.Rescuer{Layout: layout, Config: cfg, Version: version, Out: stdout, Force: *force}
	var err error
	switch {
	case (*restore != "" || *rebuild) && isInClient && !isOfMemory():
		err = errors.New("the store is not replaced: a coding agent runs this program; use memory restore FILE or memory backup rebuild")
	case *restore != "":
		err = rescuer.Restore(ctx, *restore)
	case *rebuild:
		err = rescuer.Rebuild(ctx)
	case *showBuild:
		err = ownBuild().Print(stdout)
	case *install:
		err = database.InstallEngine(ctx, layout, cfg, stderr)
	default:
		err = live(ctx, resident.Home{Layout: layout, Config: cfg, Problems: problems, Getenv: getenv, Build: ownBuild()})
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "memoryd: %v\n", err)
	}
	if err != nil && !errors.Is(err, resident.ErrServed) {
		return exitFailed
	}
	return exitOK
}

// trusted returns a getenv that leaves out what a model or a repository may have set. It lets
// MEMORY_ENGINE_DIR through: tests and checkouts share an engine by it, and it cannot send texts to another receiver.
func trusted(all func(string) string) func(string) string {
	filtered := config.FilterGetenv(all)
	return func(name string) string {
		if name == config.EngineVariable {
			return all(name)
		}
		return filtered(name)
	}
}

// isOfMemory reports whether the command `memory` has started this process: it lets only a person replace the store.
func isOfMemory() bool {
	ancestors := process.Ancestors()
	return len(ancestors) > 0 && filepath.Base(ancestors[0].Args[0]) == "memory"
}
