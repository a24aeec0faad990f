// Command memory is for people: it shows what is remembered, adds to it, and
// steers the resident agent.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// version is set by the linker.
var version = "dev"

// The exit codes of memory; docs/cli.md has them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitUnavailable = 4 // no agent, or no store; the same command may work later
	exitFindings    = 5 // doctor has found something wrong, and it is still so
)

func main() { os.Exit(processMain()) }

// processMain is the program as this process.
func processMain() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	executable, err := os.Executable()
	if err != nil {
		executable = os.Args[0]
	}
	if real, err := filepath.EvalSymlinks(executable); err == nil { // of memory install-cli: the other programs lie beside what it leads to
		executable = real
	}
	s := streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv, executable: executable, now: time.Now, zone: time.Local,
	}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		s.width, s.height, _ = term.GetSize(int(os.Stdout.Fd())) // 0 means unknown, and then nothing is cut or paged
		s.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	s.progress = term.IsTerminal(int(os.Stderr.Fd()))
	s.interactive = term.IsTerminal(int(os.Stdin.Fd()))
	return run(ctx, os.Args, s)
}

// streams is the outside world of the program.
type streams struct {
	in         io.Reader
	out, err   io.Writer
	getenv     func(string) string
	executable string
	now        func() time.Time
	zone       *time.Location // of the times that are shown; nil is UTC

	width, height int  // of the terminal that out is, in characters; 0 if it is none
	colour        bool // out understands colours, and they are wanted
	progress      bool // err is a terminal
	interactive   bool // somebody can answer on in
}

// program is what every command works with.
type program struct {
	streams
	paths  paths.Layout
	config config.Config
	mark   string // stands before what only this program may tell a terminal

	completing *completion // what a shell asks; nil unless one does
	waits      sync.Once   // the user is told once that the agent is starting
}

func run(ctx context.Context, args []string, s streams) int {
	layout := paths.FromEnv(s.getenv)
	cfg, problems := config.Load(layout.ConfigFile(), s.getenv)
	p := &program{streams: s, paths: layout, config: cfg, mark: "\x00" + rand.Text(), completing: completionOf(args, s.getenv)}
	cli.HelpPrinter = p.printHelp // the library has one for the whole process
	app := p.app()
	if p.completing != nil {
		_ = app.RunContext(ctx, p.completing.arguments(app)) // nothing but candidates is printed
		return exitOK
	}
	for _, problem := range problems {
		_, _ = fmt.Fprintf(s.err, "memory: setting %s\n", printable(problem.String()))
	}
	err := app.RunContext(ctx, flagsFirst(app, args))
	if err != nil {
		_, _ = fmt.Fprintln(s.err, p.broken("memory: "+printable(err.Error())))
	}
	return exitCode(err)
}

// exitCode is the one place where errors become exit codes.
func exitCode(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.As(err, &usage), errors.Is(err, memory.ErrInvalid), errors.Is(err, config.ErrNoSetting):
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

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func (p *program) app() *cli.App {
	app := cli.NewApp()
	app.Name = "memory"
	app.Usage = "what Claude Code remembers"
	app.Version = version
	app.Writer, app.ErrWriter = p.out, p.err
	app.HideHelpCommand = true
	app.EnableBashCompletion = true
	app.BashComplete = p.completeWith(nil)
	app.ExitErrHandler = func(*cli.Context, error) {} // exitCode does it
	app.OnUsageError = func(c *cli.Context, err error, _ bool) error { return flagError(c, err) }
	app.Commands = p.commands()
	app.Action = func(c *cli.Context) error {
		if c.Args().Present() {
			return noCommand("", c.Args().First(), app.Commands)
		}
		return cli.ShowAppHelp(c)
	}
	for _, command := range app.Commands {
		p.prepare(command, app.OnUsageError)
	}
	if p.completing != nil {
		app.Action = completed
	}
	app.Description = "Exit codes: 0 done, 1 failed, 2 wrong use, 3 not found, 4 agent or store cannot be reached now, 5 doctor found something wrong."
	return app
}

// completed stands in the place of every command while a shell asks: whatever
// the library makes of the line, nothing is carried out.
func completed(*cli.Context) error { return nil }

// prepare has a command and those below it say what is wrong with a command line,
// and complete its flags and commands.
func (p *program) prepare(command *cli.Command, onUsageError cli.OnUsageErrorFunc) {
	command.OnUsageError = onUsageError
	command.HideHelpCommand = true
	if command.BashComplete == nil {
		command.BashComplete = p.completeWith(nil)
	}
	if len(command.Subcommands) > 0 && command.Action == nil {
		command.Action = func(c *cli.Context) error {
			if c.Args().Present() {
				return noCommand(command.Name, c.Args().First(), command.Subcommands)
			}
			return cli.ShowSubcommandHelp(c)
		}
	}
	if p.completing != nil {
		command.Action = completed
	}
	for _, sub := range command.Subcommands {
		p.prepare(sub, onUsageError)
	}
}
