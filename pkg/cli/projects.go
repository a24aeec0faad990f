package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func projectsCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "projects", Usage: "list and merge projects, or switch the memory off in one",
		Description: "Name a project by its directory, its key, or its name if no other project has the same name.",
		Subcommands: []*cli.Command{
			command("list", "list every project with its numbers of memories and sessions", "", "memory projects list",
				with(e, listProjects)),
			command("merge", "merge the project FROM into the project INTO", "INTO FROM",
				"memory projects merge website website-old", with(e, mergeProjects), yesFlag()),
			command("off", "stop capturing and recalling in a project", "[PROJECT]", "memory projects off",
				with(e, switching(false))),
			command("on", "capture and recall in a project again", "[PROJECT]", "memory projects on",
				with(e, switching(true))),
			command("only", "switch the memory off everywhere except in this project, and in those that you chose before by projects only or projects on", "[PROJECT]", "memory projects only",
				with(e, switchOnly), &cli.BoolFlag{Name: "off", Usage: "switch the memory on in all projects again"}),
		},
	}
}

type listedProject struct {
	memory.ProjectHolding
	Off bool `json:"off"`
}

func listProjects(c *cli.Context, e *environment) error {
	all, err := daemonapi.MethodProjects.Ask(c.Context, e.Daemon.Call, daemonapi.ProjectsParams{})
	if err != nil {
		return err
	}
	rows := memory.Each(all, func(one memory.ProjectHolding) listedProject {
		return listedProject{one, e.IsOff(project.Project{Key: one.Key, Root: one.Root})}
	})
	return e.Print(rows, func(w io.Writer) {
		if len(rows) == 0 {
			_, _ = fmt.Fprintln(w, "no project has been seen yet")
			return
		}
		_, _ = io.WriteString(w, "PROJECT\tSEEN\tMEMORIES\tSESSIONS\tKEY\n")
		uncounted := 0
		for _, row := range rows {
			memories, sessions := fmt.Sprint(row.Holding.Memories), fmt.Sprint(row.Holding.Sessions)
			if row.CountedAt.IsZero() {
				memories, sessions = "-", "-"
				uncounted++
			}
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", terminal.Printable(row.Name), e.Ago(row.SeenAt),
				memories, sessions, terminal.Printable(row.Key)+projectNote(row))
		}
		if uncounted > 0 {
			_, _ = fmt.Fprintf(w, "%s not counted (-), because the store took too long; try again later\n",
				memory.Counted(uncounted, "project"))
		}
	})
}

func projectNote(row listedProject) string {
	switch {
	case row.MergedInto != "":
		return ", part of " + terminal.Printable(row.MergedInto)
	case row.Off:
		return ", off"
	}
	return ""
}

func mergeProjects(c *cli.Context, e *environment) error {
	ctx := c.Context
	into, err := e.Stored(ctx, c.Args().First())
	if err != nil {
		return err
	}
	from, err := e.Stored(ctx, c.Args().Get(1))
	if err != nil && from.Key == "" { // nothing may be stored of the directory that is merged
		return err
	}
	if cmp.Or(into.MergedInto, into.Key) == from.Key {
		return usagef("%s cannot be merged into %s: they are one project already", from.Key, into.Key)
	}
	holding, err := e.Holding(ctx, from.Key)
	if err != nil {
		return err
	}
	question := fmt.Sprintf("This makes %s (%s) a part of %s, and cannot be undone. Go on?", from.Key,
		heldCounts(holding), into.Key)
	if err := e.Confirm(c.Bool("yes"), question); err != nil {
		return err
	}
	params := daemonapi.MergeParams{From: from.Key, Into: into.Key}
	return show(ctx, e, daemonapi.MethodMergeProjects, params, func(w io.Writer, moved memory.Holding) {
		_, _ = fmt.Fprintf(w, "%s is a part of %s now; moved: %s\n", terminal.Printable(from.Key),
			terminal.Printable(into.Key), heldCounts(moved))
	})
}

// switching returns the action that switches memory on or off in the project that the argument names.
func switching(on bool) func(*cli.Context, *environment) error {
	return func(c *cli.Context, e *environment) error {
		return switchProject(c.Context, e, c.Args().First(), on, false)
	}
}

// switchProject switches memory on or off in a project (see switchedProject) by the marker files that hooks read. A project
// that is switched on is also put on the list of projects if isOnly is set, or if this list exists already. The folder, the
// project's key and its first commits are marked at once; the project's other keys are marked when the daemon has named them.
func switchProject(ctx context.Context, e *environment, named string, isOn, isOnly bool) error {
	where, err := switchedProject(ctx, e, named)
	if err != nil {
		return err
	}
	_, err = os.Stat(filepath.Dir(project.OnlyMarker(e.Paths.OffMarker(""))))
	isListed := isOnly || isOn && err == nil // if the list's folder exists, memory is on in listed projects only
	var roots []string
	if there, _ := project.Identify(where.Root); !isOn && there.Key == where.Key {
		roots = project.FirstCommits(ctx, where.Root)
	}
	change := func(keys ...string) (failed error) {
		var marks []string
		for _, key := range keys {
			marks = append(marks, e.Paths.OffMarker(key))
			if one := where; isListed {
				one.Key = key
				failed = cmp.Or(failed, one.List(e.Paths.OffMarker(key)))
			}
		}
		if isOn {
			return cmp.Or(failed, where.SwitchOn(marks[0], keys...))
		}
		return cmp.Or(failed, where.SwitchOff(roots, marks...))
	}
	failed := change(where.Key) // at once: a daemon may take long to answer
	e.Daemon.Where = where
	if keys, err := daemonapi.MethodKeys.Ask(ctx, e.Daemon.Call, where.Key); err == nil {
		failed = cmp.Or(failed, change(append([]string{where.Key}, keys...)...))
	}
	if err := failed; err != nil {
		return fmt.Errorf("memory could not be switched %s for %s: %w", map[bool]string{true: "on", false: "off"}[isOn], where.Name, err)
	}
	answer := map[string]any{"key": where.Key, "off": e.IsOff(where)}
	return e.Print(answer, func(w io.Writer) {
		switch {
		case !isOn:
			_, _ = fmt.Fprintf(w,
				"memory is off in %s, so nothing is captured or recalled there; memory projects on, in your own terminal, switches it on again\n",
				terminal.Printable(where.Name))
		case e.IsOff(where):
			_, _ = fmt.Fprintln(w, "still off: "+e.silence(where))
		case isOnly:
			_, _ = fmt.Fprintf(w, "memory is now on only in %s and in projects that you chose earlier; memory projects only --off switches it on in all projects again\n", terminal.Printable(where.Name))
		default:
			_, _ = fmt.Fprintf(w, "memory is on in %s\n", terminal.Printable(where.Name))
		}
	})
}

// switchOnly puts a project on the list of the only projects in which memory is on. With --off it deletes the list,
// so that memory is on in all projects again.
func switchOnly(c *cli.Context, e *environment) error {
	named := c.Args().First()
	if c.Bool("off") {
		if named != "" {
			return usagef("memory projects only --off takes no project, because it ends the restriction for all: leave %q out", named)
		}
		if err := os.RemoveAll(filepath.Dir(project.OnlyMarker(e.Paths.OffMarker("")))); err != nil {
			return fmt.Errorf("memory could not be switched on in all projects: %w", err)
		}
		return e.Print(map[string]any{"only": false}, func(w io.Writer) {
			_, _ = fmt.Fprintln(w, "memory is on in every project, except those that you switched off")
		})
	}
	return switchProject(c.Context, e, named, true, true)
}

// switchedProject returns the project to switch: the project of a directory, or a stored project by its key or name.
// If named is "", it is the project of the command.
func switchedProject(ctx context.Context, e *environment, named string) (project.Project, error) {
	if named == "" {
		return e.Project()
	}
	if info, err := os.Stat(named); err == nil && info.IsDir() {
		where, _ := project.Identify(named) // the project is usable even if the repository is not
		return where, nil
	}
	one, err := e.Stored(ctx, named)
	return project.Project{Key: one.Key, Name: one.Name, Root: one.Root}, err
}
