package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/launcher"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// environment holds the dependencies of a command.
type environment struct {
	*terminal.Terminal
	Daemon     *caller
	Paths      paths.Layout
	Config     config.Config
	Executable string // this program, its links resolved
	Version    string
	Dir        string        // --project: a directory of the project; empty: the session's directory
	Completing bool          // a shell asks for completions: no command is carried out
	Client     func() string // returns the client in whose session this program runs; "" in a person's own shell
	Ancestors  func() []process.Process
}

// plain returns the action of a command that has no options of its own.
func plain(e *environment, run func(context.Context, *environment) error) cli.ActionFunc {
	return func(c *cli.Context) error { return run(c.Context, e) }
}

// action returns a command's action, made of two functions: read parses and checks the options, and run carries the command
// out.
func action[O any](
	e *environment, read func(*cli.Context) (O, error), run func(context.Context, *environment, O) error,
) cli.ActionFunc {
	return func(c *cli.Context) error {
		options, err := read(c)
		if err != nil {
			return err
		}
		return run(c.Context, e, options)
	}
}

// inProject does what action does, for a command about one project, which run is given too.
func inProject[O any](
	e *environment, read func(*cli.Context) (O, error), run func(context.Context, *environment, project.Project, O) error,
) cli.ActionFunc {
	return action(e, read, func(ctx context.Context, e *environment, options O) error {
		where, err := e.Project()
		if err != nil {
			return err
		}
		return run(ctx, e, where, options)
	})
}

// Project returns the project that a command is about: the project of --project, or else of the session's directory.
func (e *environment) Project() (project.Project, error) {
	where, err := e.projectAt(cmp.Or(e.Dir, e.here()))
	e.Daemon.Where = where
	return where, err
}

// here returns the session's directory: MEMORY_PROJECT_DIR, or else the working directory.
func (e *environment) here() string { return cmp.Or(e.Getenv("MEMORY_PROJECT_DIR"), ".") }

// projectAt returns the project of a directory.
func (e *environment) projectAt(dir string) (project.Project, error) {
	where, err := project.Identify(dir)
	if where.Key == "" {
		return where, fmt.Errorf("find the project of %s: %w", dir, err)
	}
	return where, nil
}

// Key returns the key of the command's project; all selects every project, and the key is empty then.
func (e *environment) Key(all bool) (string, error) {
	if all {
		return "", nil
	}
	where, err := e.Project()
	return where.Key, err
}

// IsOff reports whether memory is switched off for a project.
func (e *environment) IsOff(one project.Project) bool { return one.IsOff(e.Paths.OffMarker(one.Key)) }

// AllProjects asks the daemon for every project that is stored, without counts.
func (e *environment) AllProjects(ctx context.Context) ([]memory.ProjectHolding, error) {
	return daemonapi.MethodProjects.Ask(ctx, e.Daemon.Call, daemonapi.ProjectsParams{Uncounted: true})
}

// Holding asks the daemon for the counts of a project. They are zero if the project is not stored.
func (e *environment) Holding(ctx context.Context, key string) (memory.Holding, error) {
	found, err := daemonapi.MethodProjects.Ask(ctx, e.Daemon.Call, daemonapi.ProjectsParams{Only: key})
	if err != nil || len(found) == 0 {
		return memory.Holding{}, err
	}
	return found[0].Holding, nil
}

// Stored returns a stored project by its key, by its name if the name is unique, or by one of its directories.
func (e *environment) Stored(ctx context.Context, what string) (memory.ProjectHolding, error) {
	all, err := e.AllProjects(ctx)
	if err != nil {
		return memory.ProjectHolding{}, err
	}
	var named []memory.ProjectHolding
	for _, one := range all {
		if one.Key == what {
			return one, nil
		}
		if one.Name == what {
			named = append(named, one)
		}
	}
	if len(named) == 1 {
		return named[0], nil
	}
	if len(named) > 1 {
		return memory.ProjectHolding{},
			usagef("%d projects have the name %q; give the key, as memory projects list shows it", len(named), what)
	}
	if info, err := os.Stat(what); err == nil && info.IsDir() {
		if where, _ := project.Identify(what); where.Key != "" { // the daemon says whether the project is stored
			at := slices.IndexFunc(all, func(one memory.ProjectHolding) bool { return one.Key == where.Key })
			if at < 0 {
				return memory.ProjectHolding{Project: memory.Project{Key: where.Key, Name: where.Name, Root: where.Root}}, nil
			}
			return all[at], nil
		}
	}
	return memory.ProjectHolding{}, fmt.Errorf("project %s: %w; memory projects list shows all",
		memory.Cut(what, 200), memory.ErrNotFound)
}

// errDeclined says that the user answered no.
var errDeclined = errors.New("nothing was changed: it was not confirmed")

// Confirm asks a question, unless yes (--yes) is set. It fails if the answer is no, or if nobody can be asked.
func (e *environment) Confirm(yes bool, question string) error {
	switch {
	case yes:
		return nil
	case !e.Interactive:
		return usagef("%s Nobody can answer here: confirm with --yes", question)
	case !e.IsYes(question):
		return errDeclined
	}
	return nil
}

// InModelsShell reports whether a model or its client runs this program, rather than a person in a terminal or behind the
// client's "!". The program's input then counts as the model's.
func (e *environment) InModelsShell() bool { return e.notTyped() != nil }

var (
	// errOff is for a client's shell while memory is off: no hook can vouch that a person typed behind the client's "!".
	errOff = errors.New("run it in a terminal of your own, because no hook sees who types while the memory is off")
	// errNotTyped is for a client's shell while a turn is under way and the client has not asked the user.
	errNotTyped = errors.New("type it behind a ! where you type prompts, while Claude is not at work, or run it in a terminal of your own")
	// errNoDialog is for a client that cannot ask the user.
	errNoDialog = errors.New("run it in a terminal of your own")
)

// notTyped returns nil where a person decides: in a terminal, behind the client's "!" while no turn is under way, or in the
// client's dialog, which our hook makes the client show before the model's command runs. The commands in the text of a skill
// or slash command run without either.
func (e *environment) notTyped() error {
	switch e.Client() {
	case "":
		return nil
	case codexClient:
		return errNoDialog
	}
	if where, err := e.projectAt(e.here()); e.Config.Disabled || err == nil && e.IsOff(where) { // then no hook writes the marks
		return errOff
	}
	session := e.Getenv("CLAUDE_CODE_SESSION_ID")
	for _, mark := range []string{e.Paths.IdleMarker(session), e.Paths.AskedMarker(session)} {
		if info, err := os.Stat(mark); err == nil && session != "" && e.isStartedSince(info.ModTime()) {
			return nil
		}
	}
	return errNotTyped
}

// isStartedSince reports whether the client has started this program's command since the mark was written. A model may have
// left an older command in the background to wait for the mark.
func (e *environment) isStartedSince(mark time.Time) bool {
	if e.Ancestors == nil {
		return true
	}
	roughly := time.Second // ps knows only whole seconds
	if runtime.GOOS == "linux" {
		roughly = 50 * time.Millisecond
	}
	for _, p := range e.Ancestors() {
		switch {
		case client.Running(p.Args) != "":
			return true
		case !p.Started.IsZero() && p.Started.Before(mark.Add(-roughly)):
			return false
		}
	}
	return runtime.GOOS == "windows" // elsewhere the command has detached itself from its client
}

// The clients in whose sessions this program may run.
const (
	claudeClient = "Claude"
	codexClient  = "Codex"
)

// callerOf names the client in whose session a process runs, judged by its environment and ancestors. A program that a
// client starts for a repository (an apiKeyHelper, a hook, an MCP server) may lack the client's variables, and a model can
// unset them for its command. Both still descend from the client, unless they detach themselves.
func callerOf(getenv func(string) string, ancestors func() []process.Process) string {
	switch {
	case getenv("CODEX_THREAD_ID") != "" || getenv("CODEX_SANDBOX") != "":
		return codexClient
	case getenv("CLAUDECODE") != "":
		return claudeClient
	}
	if ancestors == nil {
		return ""
	}
	for _, p := range ancestors() {
		if name := client.Running(p.Args); name != "" {
			return name
		}
	}
	return ""
}

// OnlyPerson returns an error if a model runs this program. See consent.Decides for whole commands.
func (e *environment) OnlyPerson(verb string) error {
	if err := e.notTyped(); err != nil {
		return fmt.Errorf("this is %s's shell: only a person %s; %w", e.Client(), verb, err)
	}
	return nil
}

// short makes a text of any origin safe to print for people, and abbreviates its paths. With --json programs get the paths
// whole.
func (e *environment) short(text string) string {
	return paths.Shorten(terminal.Printable(text), e.Getenv("HOME"))
}

// underHome makes an error's text safe to print, with ~ for the home directory. Paths stay whole otherwise: users must find
// the files.
func (e *environment) underHome(text string) string {
	return terminal.Printable(paths.Tildes(text, e.Getenv("HOME")))
}

// ClientDir returns the directory of the client's settings.
func (e *environment) ClientDir() string {
	return paths.ClientDir(e.Getenv)
}

// Program returns the path of another program of the plugin.
func (e *environment) Program(name string) string { return paths.Program(e.Executable, name) }

// Launched returns the path by which others call a program of the plugin; an update of the plugin does not change it.
// Windows, which cannot run our shell launchers, gets the path of the program itself.
func (e *environment) Launched(name string) string {
	switch {
	case runtime.GOOS != "windows":
		return filepath.Join(e.Paths.Bin(), name)
	case name == "memory":
		return paths.CLI(e.Executable)
	}
	return e.Program(name) + ".exe"
}

// InstallLaunchers writes the launchers that Launched names.
func (e *environment) InstallLaunchers() error {
	return launcher.Install(e.Paths, paths.InstalledRoot(e.Executable))
}

// By returns the author that a change is recorded under.
func (e *environment) By() string {
	if e.InModelsShell() {
		return "cli of the assistant"
	}
	return memory.ByPerson
}

// heldCounts returns the counts of a project or the store in words.
func heldCounts(h memory.Holding) string {
	return terminal.Counted(h.Memories, "memory") + ", " + terminal.Counted(h.Sessions, "session") + ", " +
		terminal.Counted(h.Prompts, "prompt")
}

// errFindings says that doctor has found a problem that is not repaired.
var errFindings = errors.New("something is wrong")

// ProjectOfDir returns a function that finds the project of a directory, and whether memory is off there. Answers are
// cached.
func (e *environment) ProjectOfDir() func(string) (project.Project, bool) {
	type found struct {
		where project.Project
		isOff bool
	}
	known := map[string]found{}
	return func(dir string) (project.Project, bool) {
		one, isKnown := known[dir]
		if !isKnown {
			one.where, _ = project.Identify(dir) // the project is usable even if the repository is not
			one.isOff = one.where.IsOff(e.Paths.OffMarker(one.where.Key))
			known[dir] = one
		}
		return one.where, one.isOff
	}
}
