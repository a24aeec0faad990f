// Command memory-migrate migrates the memory database to this version's schema, and helps to write migrations. It
// connects packages migrate, which plans, and surreal, which applies.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// version is set by the release build.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Run(ctx, os.Args, os.Stdout, os.Stderr, os.Getenv)
	stop()
	os.Exit(code)
}

const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitRefused     = 3 // the database's history does not match the files
	exitUnavailable = 4 // no database to talk to
)

// errUsage marks an invalid command line.
var errUsage = errors.New("usage")

// outcomes maps errors to the code in JSON and the program's exit code. The first match counts.
var outcomes = []struct {
	cause error
	code  string
	exit  int
}{
	{errUsage, "usage", exitUsage},
	{migrate.ErrEdited, "edited", exitRefused},
	{migrate.ErrGap, "gap", exitRefused},
	{migrate.ErrNewer, "newer", exitRefused},
	{wire.ErrAuth, "auth", exitUnavailable},
	{engine.ErrDamaged, "damaged", exitUnavailable},
	{wire.ErrDamaged, "damaged", exitUnavailable},
	{wire.ErrStorage, "storage", exitUnavailable},
	{wire.ErrUnavailable, "unavailable", exitUnavailable},
	{engine.ErrNoEngine, "no_engine", exitUnavailable},
	{engine.ErrFormat, "format", exitUnavailable},
	{engine.ErrNotInstalled, "engine_not_installed", exitUnavailable},
}

// Run runs the program and returns its exit code. args include the program's name.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer, getenv func(string) string) int {
	err := newApp(stdout, stderr, getenv).RunContext(ctx, args)
	if err == nil {
		return exitOK
	}
	code, exit := "failed", exitFailed
	for _, outcome := range outcomes {
		if errors.Is(err, outcome.cause) {
			code, exit = outcome.code, outcome.exit
			break
		}
	}
	if slices.Contains(args, "--json") {
		// Ignored: if stdout is not writable there is no way to report it.
		_ = json.NewEncoder(stdout).Encode(map[string]any{"error": map[string]string{"code": code, "message": err.Error()}})
	} else {
		_, _ = fmt.Fprintln(stderr, "memory-migrate:", err)
	}
	return exit
}
