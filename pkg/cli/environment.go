package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

type environment struct {
	*terminal.Terminal
	Daemon     *caller
	Paths      paths.Layout
	Config     config.Config
	Problems   []config.Problem // problems of the settings
	Executable string           // this program, its links resolved
	Version    string
	Working    string        // working directory; empty for the process's
	Dir        string        // value of --project, a directory of the project; empty for the working directory
	Client     func() string // returns the client in whose session this program runs; "" in a person's own shell
	Ancestors  func() []process.Process
}

// with returns the action of a command, which run carries out.
func with(e *environment, run func(*cli.Context, *environment) error) cli.ActionFunc {
	return func(c *cli.Context) error { return run(c, e) }
}

// inProject returns the action of a command about one project, which is passed to run.
func inProject(e *environment, run func(*cli.Context, *environment, project.Project) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		where, err := e.Project()
		if err != nil {
			return err
		}
		return run(c, e, where)
	}
}

// show prints the daemon's answer to a request, as JSON or with the function page.
func show[P, R any](ctx context.Context, e *environment, method daemonapi.Method[P, R], params P, page func(io.Writer, R)) error {
	answer, err := method.Ask(ctx, e.Daemon.CallLong, params)
	if err != nil {
		return err
	}
	return e.Print(answer, func(w io.Writer) { page(w, answer) })
}

// Project returns the project that a command is about: the project of --project, or else of the working directory.
func (e *environment) Project() (project.Project, error) {
	where, err := e.projectAt(cmp.Or(e.Dir, e.here()))
	e.Daemon.Where = where
	return where, err
}

// here returns the working directory, or the path that it had if it was deleted.
func (e *environment) here() string {
	dir := e.Working
	if _, err := os.Getwd(); err != nil {
		dir = cmp.Or(dir, e.Getenv("PWD"))
	}
	return cmp.Or(dir, ".")
}

func (e *environment) projectAt(dir string) (project.Project, error) {
	where, err := project.Identify(dir)
	if where.Key == "" {
		return where, fmt.Errorf("find the project of %s: %w", dir, err)
	}
	return where, nil
}

// Key returns the key of the command's project, or "" (every project) if all is set.
func (e *environment) Key(all bool) (string, error) {
	if all {
		return "", nil
	}
	where, err := e.Project()
	return where.Key, err
}

// IsOff reports whether memory is switched off for a project.
func (e *environment) IsOff(one project.Project) bool {
	return one.WhyOffInTime(e.Paths.OffMarker(one.Key)) != ""
}

// silence returns the reason why the sessions of a project are given no memories, or "" if they may be.
func (e *environment) silence(where project.Project) string {
	if e.Config.Disabled {
		return daemonapi.AllOff
	}
	return terminal.Printable(where.WhyOffInTime(e.Paths.OffMarker(where.Key)))
}

// AllProjects returns every stored project, without counts.
func (e *environment) AllProjects(ctx context.Context) ([]memory.ProjectHolding, error) {
	return daemonapi.MethodProjects.Ask(ctx, e.Daemon.Call, daemonapi.ProjectsParams{Uncounted: true})
}

// Holding returns the counts of a project, zero if the project is not stored.
func (e *environment) Holding(ctx context.Context, key string) (memory.Holding, error) {
	found, err := daemonapi.MethodProjects.Ask(ctx, e.Daemon.Call, daemonapi.ProjectsParams{Only: key})
	if err != nil || len(found) == 0 {
		return memory.Holding{}, err
	}
	return found[0].Holding, nil
}

// Stored returns a stored project by its key, its name (if unique), or one of its directories. If nothing of a directory is
// stored, it returns the directory's key and memory.ErrNotFound.
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
	var unstored memory.ProjectHolding
	if info, err := os.Stat(what); err == nil && info.IsDir() {
		where, unknown := project.Identify(what)
		where.Key = cmp.Or(e.placeOf(ctx, where).Key, where.Key)
		if at := slices.IndexFunc(all, func(one memory.ProjectHolding) bool { return one.Key == where.Key }); at >= 0 {
			return all[at], nil
		}
		if unknown == nil { // otherwise the key may be another project's
			unstored.Key = where.Key
		}
	}
	return unstored, fmt.Errorf("there is no project %s: %w; memory projects list shows all projects",
		memory.Cut(what, 200), memory.ErrNotFound)
}

var errDeclined = errors.New("nothing was changed: it was not confirmed")

// Confirm asks a question, unless yes (--yes) is set. It fails if the answer is no, or if nobody can answer.
func (e *environment) Confirm(yes bool, question string) error {
	switch {
	case yes:
		return nil
	case !e.Interactive:
		return usagef("%s Nothing was done, because nobody can answer here: add --yes", question)
	case !e.IsYes(question):
		return errDeclined
	}
	return nil
}

// ProgramPath returns the path of a program, given by its path or its name in a folder of the PATH, or "".
func (e *environment) ProgramPath(name string) string {
	dirs := filepath.SplitList(e.Getenv("PATH"))
	if filepath.IsAbs(name) {
		dirs, name = []string{filepath.Dir(name)}, filepath.Base(name)
	}
	for _, dir := range dirs {
		if program, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(program) {
			return program
		}
	}
	return ""
}

// InModelsShell reports whether a model or its client runs this program, not a person in a terminal or behind the
// client's "!". The program's input then counts as the model's.
func (e *environment) InModelsShell() bool { return e.notTyped() != nil }

var (
	// errOff is for a client's shell while memory is off: the hooks that would tell whether a person typed the command do not run then.
	errOff = errors.New("run it in a terminal of your own: while memory is off, the command cannot tell a person's input from a model's")
	// errNotTyped is for a client's shell during a turn, if the client has not asked the user.
	errNotTyped = errors.New("type the command as a prompt that begins with ! while Claude is idle and no agent runs a command (after Esc: once the next turn has ended), or run it in a terminal of your own")
	// errNoDialog is for a client that cannot ask the user.
	errNoDialog = errors.New("run it in a terminal of your own")
)

// notTyped returns nil if a person decides: in a terminal, behind the client's "!" while no turn runs, or in the client's dialog, which our hook
// makes the client show before a model's command. Commands in the text of a skill or slash command meet none of these conditions.
func (e *environment) notTyped() error {
	switch e.Client() {
	case "":
		return nil
	case "Codex":
		return errNoDialog
	}
	if where, err := e.projectAt(e.here()); e.Config.Disabled || err == nil && e.IsOff(where) { // while memory is off, no hook writes the files that say whether a person typed the command
		return errOff
	}
	if !e.isPersons() {
		return errNotTyped
	}
	return nil
}

// isPersons reports whether every client among this program's ancestors waits for its user or has asked the user: a model can
// start another client, or a program with its name. Where the ancestors are unknown, as on Windows, it takes the process that
// CLAUDE_PID names for the only client.
func (e *environment) isPersons() (is bool) {
	if e.Ancestors == nil || runtime.GOOS == "windows" {
		pid, err := strconv.Atoi(e.Getenv("CLAUDE_PID"))
		return err == nil && (isThere(e.Paths.IdleMarker(pid)) && !e.runsCall(pid) || isThere(e.Paths.AskedMarker(pid)))
	}
	all := e.Ancestors()
	for i := 0; i < len(all); i++ {
		if client.NameOf(all[i].Args) == "" {
			continue
		}
		below := all[:i]
		is = client.NameOf(all[i].Args) == "Claude" && e.isMarked(all[i].PID, below)
		for ; i+1 < len(all) && client.IsLauncher(all[i+1], all[i]); i++ { // one client may be a chain of several processes
			is = is || e.isMarked(all[i+1].PID, below)
		}
		if !is {
			return false
		}
	}
	return is
}

// isMarked reports whether the client with the process id pid started the processes below it for a person's command.
// The topmost process must be a shell that runs this command, not a program of a repository's settings. Also, the
// client must have asked the user about the command, or no call of a model may run, also none of an agent in the
// background, and no process may be older than the marker file of a waiting client: an older process may be a model's
// command in the background that waits for this file.
func (e *environment) isMarked(pid int, below []process.Process) bool {
	if len(below) == 0 {
		return false
	}
	command := client.ShellCommand(below[len(below)-1].Args, e.ClientDir())
	asked, _ := os.ReadFile(e.Paths.AskedMarker(pid))
	if command == "" || string(asked) == client.Hash(command) {
		return command != ""
	}
	roughly := time.Second // ps reports whole seconds
	if runtime.GOOS == "linux" {
		roughly = 50 * time.Millisecond
	}
	idle, err := os.Stat(e.Paths.IdleMarker(pid))
	return err == nil && !e.runsCall(pid) && !slices.ContainsFunc(below, func(p process.Process) bool {
		return !p.Started.IsZero() && p.Started.Before(idle.ModTime().Add(-roughly))
	})
}

// runsCall reports whether a model below a client runs commands now.
func (e *environment) runsCall(pid int) bool {
	calls, err := os.ReadDir(e.Paths.CallMarkers(pid))
	return len(calls) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// OnlyPerson returns an error if a model runs this program. It is for a part of a command; consent.NeedsPerson has the commands that always need a person.
func (e *environment) OnlyPerson(verb string) error {
	if err := e.notTyped(); err != nil {
		return fmt.Errorf("this is %s's shell: only a person may %s; %w", e.Client(), verb, err)
	}
	return nil
}

// underHome returns a text made safe to print, with ~ for the home directory. JSON output has whole paths.
func (e *environment) underHome(text string) string {
	return terminal.Printable(paths.Tildes(text, e.Getenv("HOME")))
}

func (e *environment) ClientDir() string {
	return paths.ClientDir(e.Getenv)
}

// Launched returns the path with which other programs start the program memory. It stays the same when the plugin is
// updated, except on Windows, which cannot run our launchers.
func (e *environment) Launched() string {
	if runtime.GOOS == "windows" {
		return paths.CLI(e.Executable)
	}
	return filepath.Join(e.Paths.Bin(), "memory")
}

// By returns the author recorded for a change.
func (e *environment) By() string {
	if e.InModelsShell() {
		return "cli of the assistant"
	}
	return memory.ByPerson
}

func heldCounts(h memory.Holding) string {
	return memory.Counted(h.Memories, "memory") + ", " + memory.Counted(h.Sessions, "session") + ", " +
		memory.Counted(h.Prompts, "prompt")
}

var errFindings = errors.New("something is wrong")

// placeOf returns what a running daemon knows of a project's folder.
func (e *environment) placeOf(ctx context.Context, where project.Project) daemonapi.PlaceResult {
	place, _ := daemonapi.MethodPlace.Ask(ctx, e.Daemon.Ask, daemonapi.PlaceParams{Key: where.Key, Root: where.Root})
	return place
}

// ProjectOfDir returns a function that returns a directory's project, and whether memory is off there. If a folder is
// gone, such as a removed worktree, a running daemon may still know its project. Memory is also off in such a folder
// if it is off in a folder above it. The function caches its answers.
func (e *environment) ProjectOfDir(ctx context.Context) func(string) (project.Project, bool) {
	type found struct {
		where project.Project
		isOff bool
	}
	known := map[string]found{}
	return func(dir string) (project.Project, bool) {
		one, isKnown := known[dir]
		if !isKnown {
			one.where, _ = project.Identify(dir) // an error concerns only the repository: the project can be used
			root, place := one.where.Root, e.placeOf(ctx, one.where)
			if place.Key != "" && !isThere(root) { // if the folder exists, the daemon itself finds the project that the folder had at the time of each event
				one.where.Key, one.where.Name = place.Key, path.Base(place.Key)
			}
			for one.isOff = e.IsOff(one.where); !one.isOff && !isThere(root); root = filepath.Dir(root) {
				above := project.Project{Key: filepath.ToSlash(root), Root: root}
				mark := e.Paths.OffMarker(above.Key)
				one.isOff = isThere(mark) || isThere(above.FolderMarker(mark))
			}
			known[dir] = one
		}
		return one.where, one.isOff
	}
}
