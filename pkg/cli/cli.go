// Package cli is the program memory: it assembles the groups of commands (groups.go), prints help, and maps errors to exit
// codes. Most commands have a file of their own name; environment.go and caller.go hold the parts that all commands share.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// The exit codes of memory, which docs/cli.md documents.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitUnavailable = 4 // no daemon, or no store; the same command may work later
	exitFindings    = 5 // doctor has found a problem
)

// Main runs the program in this process and returns the exit code. The linker sets the version.
func Main(version string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	executable, err := os.Executable()
	if err != nil {
		executable = os.Args[0]
	}
	if real, err := filepath.EvalSymlinks(executable); err == nil { // resolve links: the other programs are next to the target
		executable = real
	}
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	here := terminal.OfProcess()
	here.Interrupted = ctx.Done()
	return run(ctx, os.Args, runOptions{Terminal: here, Environ: os.Environ(), Executable: executable, Version: version, Ancestors: process.Ancestors})
}

// runOptions has everything that the program gets from outside.
type runOptions struct {
	Terminal   *terminal.Terminal
	Executable string   // path of this program, whose folder has the plugin's other programs
	Environ    []string // environment of this process
	Version    string
	Dir        string                   // working directory; empty for the process's
	Ancestors  func() []process.Process // returns the parent of this process, its parent, and so on; nil if unknown
}

// checkHome returns the error of consent.CheckHome for a command in a client's shell. There a project's settings may have set MEMORY_HOME, even if the
// shell has changed to another folder since. So a home in any repository is refused, as if that repository had set it.
func checkHome(layout paths.Layout, getenv func(string) string, where project.Project) error {
	err := consent.CheckHome(layout, getenv, where)
	for _, dir := range []string{project.Repository(layout.Home), getenv("CLAUDE_PROJECT_DIR")} {
		if dir != "" && err == nil {
			other, _ := project.Identify(dir)
			err = consent.CheckHome(layout, getenv, other)
		}
	}
	return err
}

// run carries out a command line and returns the exit code.
func run(ctx context.Context, args []string, o runOptions) int {
	ignored := config.IgnoredVariables(o.Terminal.Getenv)
	o.Terminal.Getenv = config.FilterGetenv(o.Terminal.Getenv)
	layout := paths.FromEnv(o.Terminal.Getenv)
	where, _ := project.Identify(cmp.Or(o.Dir, ".")) // the commands report the error when they need the project
	around := sync.OnceValue(func() string { return client.Around(o.Terminal.Getenv, o.Ancestors) })
	if err := checkHome(layout, o.Terminal.Getenv, where); err != nil && around() != "" {
		_, _ = fmt.Fprintf(o.Terminal.Err, "memory: %v\n", err)
		return exitFailed
	}
	cfg, problems := config.Load(layout.ConfigFile(), o.Terminal.Getenv)
	p := &program{environment: environment{
		Terminal: o.Terminal, Paths: layout, Config: cfg, Problems: problems, Executable: o.Executable, Version: o.Version, Working: o.Dir,
		Client: around, Ancestors: o.Ancestors,
		Daemon: &caller{
			Resident: daemonclient.Daemon{Paths: layout, Executable: o.Executable, Now: time.Now, Environ: func() []string { return consent.SafeEnvironment(o.Environ, where) }},
			Out:      o.Terminal.Out, Err: o.Terminal.Err,
		},
	}}
	app := p.app()
	for _, s := range ignored {
		_, _ = fmt.Fprintf(p.Err, "memory: the variable %s is ignored: use memory config set %s VALUE\n", s.Env, s.Key)
	}
	for _, problem := range problems {
		_, _ = fmt.Fprintf(p.Err, "memory: %s\n", terminal.Printable(problem.String()))
	}
	err := app.RunContext(ctx, flagsFirst(app, args))
	if err != nil {
		_, _ = fmt.Fprintln(p.Err, "memory: "+p.underHome(readable(err)))
	}
	return exitCode(err)
}

// readable returns an error's text for people, with the command that helps if the store is unavailable.
func readable(err error) string {
	text := memory.ErrorText(err)
	hasRemedy := func(remedy string) bool { return strings.Contains(text, remedy) }
	if errors.Is(err, memory.ErrUnavailable) && !slices.ContainsFunc([]string{"run memory", "memory doctor", "try again", "MEMORY_HOME", "then memory ", "then chmod "}, hasRemedy) {
		text += "; memory doctor has the remedy"
	}
	return text
}

// exitCode returns the exit code for an error. Nothing else maps errors to exit codes.
func exitCode(err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.Is(err, memory.ErrInvalid), errors.Is(err, config.ErrNoSetting):
		return exitUsage
	case errors.Is(err, memory.ErrNotFound):
		return exitNotFound
	case errors.Is(err, memory.ErrUnavailable), errors.Is(err, daemonclient.ErrNoDaemon):
		return exitUnavailable
	}
	return exitFailed
}
