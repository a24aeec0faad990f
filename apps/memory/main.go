// Command memory is for people: it shows what is remembered, adds to it, and
// steers the resident agent.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// version is set by the linker.
var version = "dev"

// The exit codes of memory.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitUnavailable = 4 // no agent, or no store; the same command may work later
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	executable, err := os.Executable()
	if err != nil {
		executable = os.Args[0]
	}
	code := run(ctx, os.Args, streams{
		out: os.Stdout, err: os.Stderr, getenv: os.Getenv, executable: executable, now: time.Now,
	})
	stop()
	os.Exit(code)
}

// streams is the outside world of the program.
type streams struct {
	out, err   io.Writer
	getenv     func(string) string
	executable string
	now        func() time.Time
}

// program is what every command works with.
type program struct {
	streams
	paths  paths.Layout
	config config.Config
}

func run(ctx context.Context, args []string, s streams) int {
	layout := paths.FromEnv(s.getenv)
	cfg, problems := config.Load(layout.ConfigFile(), s.getenv)
	for _, problem := range problems {
		_, _ = fmt.Fprintf(s.err, "memory: setting %s\n", problem)
	}
	p := &program{streams: s, paths: layout, config: cfg}
	err := p.app().RunContext(ctx, args)
	if err != nil {
		_, _ = fmt.Fprintf(s.err, "memory: %v\n", err)
	}
	return exitCode(err)
}

// exitCode is the one place where errors become exit codes.
func exitCode(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage), errors.Is(err, memory.ErrInvalid):
		return exitUsage
	case errors.Is(err, memory.ErrNotFound):
		return exitNotFound
	case errors.Is(err, memory.ErrUnavailable), errors.Is(err, agentapi.ErrNoAgent):
		return exitUnavailable
	}
	return exitFailed
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

func (p *program) app() *cli.App {
	app := cli.NewApp()
	app.Name = "memory"
	app.Usage = "what Claude Code remembers"
	app.Version = version
	app.Writer, app.ErrWriter = p.out, p.err
	app.HideHelpCommand = true
	app.ExitErrHandler = func(*cli.Context, error) {} // exitCode does it
	app.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return usageError{err} }
	app.Action = func(c *cli.Context) error {
		if c.Args().Present() {
			return usageError{fmt.Errorf("there is no command %q; memory --help lists them", c.Args().First())}
		}
		return cli.ShowAppHelp(c)
	}
	app.Commands = p.commands()
	for _, command := range app.Commands {
		command.OnUsageError = app.OnUsageError
	}
	app.Description = "Exit codes: 0 done, 1 failed, 2 wrong use, 3 not found, 4 agent or store cannot be reached now."
	return app
}
