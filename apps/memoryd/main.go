// Command memoryd is the resident agent: one for each home, started by hooks
// when it is not there. It supervises a local engine, keeps the schema up to
// date, empties the spool into the store, answers hooks, and runs maintenance.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// version is set by the linker.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.Getenv)
	stop()
	os.Exit(code)
}

// The exit codes of memoryd.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer, getenv func(string) string) int {
	if isRescue(args) {
		return rescue(ctx, args, stdout, stderr, getenv)
	}
	flags := flag.NewFlagSet("memoryd", flag.ContinueOnError)
	flags.SetOutput(stderr)
	install := flags.Bool("install-engine", false, "install the embedded engine if this machine needs it, and exit")
	remove := flags.Bool("remove-engine", false, "remove the embedded engine, and exit")
	onlyCheck := flags.Bool("check", false, "print as JSON the engine and the settings that an agent would have, and exit")
	showVersion := flags.Bool("version", false, "print the version and exit")
	showBuild := flags.Bool("build", false, "print as JSON this program's version and stamp, and exit")
	flags.Usage = func() {
		_, _ = fmt.Fprint(stderr, "Usage: memoryd [--install-engine | --remove-engine | --check | --version | --build]\n\nRuns the resident agent for MEMORY_HOME until it is stopped. Hooks start it by themselves.\n\n"+rescueUsage)
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
	case *showVersion:
		_, _ = fmt.Fprintln(stderr, "memoryd", version)
		return exitOK
	case *showBuild:
		return printBuild(stdout, stderr)
	}

	layout := paths.FromEnv(getenv)
	cfg, problems := config.Load(layout.ConfigFile(), getenv)
	var err error
	switch {
	case *install:
		err = installEngine(ctx, layout, cfg, stderr)
	case *remove:
		err = removeEngine(ctx, layout, cfg, stdout)
	case *onlyCheck:
		err = check(ctx, layout, cfg, getenv, stdout)
	default:
		err = live(ctx, layout, cfg, problems, getenv)
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "memoryd: %v\n", err)
	}
	if err != nil && !errors.Is(err, errServed) {
		return exitFailed
	}
	return exitOK
}

func printBuild(stdout, stderr io.Writer) int {
	program, err := os.Executable()
	if err == nil {
		err = json.NewEncoder(stdout).Encode(ownBuild(program))
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "memoryd: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// installTime bounds an installation: the packages can be a download of 71 MB.
const installTime = 10 * time.Minute

// removeEngine removes the embedded engine.
func removeEngine(ctx context.Context, layout paths.Layout, cfg config.Config, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	dir := enginePath(layout, cfg)
	size, err := engine.Uninstall(ctx, engine.Options{Packages: dir})
	if err != nil {
		return err
	}
	if size == 0 {
		_, _ = fmt.Fprintf(out, "the embedded engine is not installed in %s\n", dir)
		return nil
	}
	_, _ = fmt.Fprintf(out, "removed %s: %d MB\n", dir, size>>20)
	return nil
}

// installEngine installs the embedded engine if there is no engine to start.
func installEngine(ctx context.Context, layout paths.Layout, cfg config.Config, progress io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	options, err := engineOptions(layout, cfg, slog.New(slog.DiscardHandler), progress)
	if err != nil {
		return err
	}
	choice, err := engine.Find(ctx, options)
	if errors.Is(err, engine.ErrNotInstalled) {
		_, _ = fmt.Fprintf(progress, "installing the database engine: %s are downloaded, once\n", engine.DownloadSize(ctx, options))
		if err := engine.Install(ctx, options, progress); err != nil {
			return err
		}
		choice, err = engine.Find(ctx, options)
	}
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(progress, "engine: %s\n", choice)
	for _, passed := range choice.PassedOver {
		_, _ = fmt.Fprintf(progress, "passed over: %s\n", passed)
	}
	return nil
}
