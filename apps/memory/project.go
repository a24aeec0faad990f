package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

func (p *program) projectsCommand() *cli.Command {
	yes := &cli.BoolFlag{Name: "yes", Usage: "do not ask"}
	return &cli.Command{
		Name: "projects", Usage: "list projects, merge and rename them, switch the memory off and on for one",
		Description: "A project is named by its directory, its key or, if only one has it, its name.",
		Subcommands: []*cli.Command{
			p.projectCommand("list", "list every project with what it holds", "", 0, "memory projects list", p.projects),
			p.projectCommand("merge", "make the second project a part of the first, with all it holds", "INTO FROM", 2, "memory projects merge website website-old", p.mergeProjects, yes),
			p.projectCommand("rename", "give a project a name; \"\" takes it back", "PROJECT NAME", 1, "memory projects rename ~/src/web website", p.renameProject),
			p.projectCommand("trust", "let the repository of a directory share the memory that its .claude/memory-project names", "[DIR]", 0, "memory projects trust",
				p.trust, &cli.BoolFlag{Name: "revoke", Usage: "take it back"}),
			p.projectCommand("off", "capture nothing and give nothing in a project", "[PROJECT]", 1, "memory projects off",
				func(c *cli.Context) error { return p.switchProject(c, false) }),
			p.projectCommand("on", "undo off", "[PROJECT]", 1, "memory projects on", func(c *cli.Context) error { return p.switchProject(c, true) }),
		},
	}
}

// projectCommand makes a command whose first so many arguments are projects.
func (p *program) projectCommand(name, usage, arguments string, projects int, example string, action cli.ActionFunc, flags ...cli.Flag) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: arguments, Description: described("", example), Flags: append(flags, jsonFlag()), Action: action,
		BashComplete: p.completeWith(func(ctx context.Context, c *cli.Context) []candidate {
			if c.Args().Len() >= projects {
				return nil
			}
			return p.projectNames(ctx, c)
		}),
	}
}

// project is the one that a command is about.
func (p *program) project(c *cli.Context) (project.Project, error) {
	dir := c.String("project")
	if dir != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return project.Project{}, usagef("--project %q is no directory", dir)
		}
	}
	if dir == "" {
		dir = p.getenv("MEMORY_PROJECT_DIR")
	}
	if dir == "" {
		dir = "."
	}
	where, err := p.identify(dir)
	if where.Key == "" {
		return where, fmt.Errorf("find the project of %s: %w", dir, err)
	}
	return where, nil
}

// identify finds the project of a directory, with what the user has allowed it.
func (p *program) identify(dir string) (project.Project, error) {
	where, err := project.Identify(dir)
	return where.Trusting(p.paths.TrustMark), err
}

// trust allows the repository of a directory to use the key that its override
// file asks for, or takes that back.
func (p *program) trust(c *cli.Context) error {
	if c.Args().Len() > 1 {
		return usagef("give one directory, or none for this one")
	}
	dir := cmp.Or(c.Args().First(), p.getenv("MEMORY_PROJECT_DIR"), ".")
	where, err := project.Identify(dir)
	if where.Key == "" {
		return fmt.Errorf("find the project of %s: %w", dir, err)
	}
	offer, revoke := where.Offer, c.Bool("revoke")
	if offer.Key == "" {
		return errors.Join(fmt.Errorf("%s has no %s that could be trusted", where.Root, project.OverrideFile), err)
	}
	mark := p.paths.TrustMark(offer.By, offer.Key)
	if revoke {
		if err := os.Remove(mark); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("take the trust back: %w", err)
		}
	} else if err := writeMark(mark, offer.By+"\n"+offer.Key+"\n"); err != nil {
		return fmt.Errorf("trust the project: %w", err)
	}
	return p.print(c, map[string]any{"project": offer.By, "key": offer.Key, "trusted": !revoke}, func(w io.Writer) {
		if revoke {
			_, _ = fmt.Fprintf(w, "%s has a memory of its own again\n", printable(offer.By))
			return
		}
		_, _ = fmt.Fprintf(w, "%s shares the memory of %s; --revoke takes it back\n", printable(offer.By), printable(offer.Key))
	})
}

func writeMark(mark, text string) error {
	if err := os.MkdirAll(filepath.Dir(mark), 0o700); err != nil {
		return err
	}
	return os.WriteFile(mark, []byte(text), 0o600)
}

// listedProject is one row of the list of projects.
type listedProject struct {
	memory.ProjectHolding
	Off bool `json:"off"`
}

func (p *program) projects(c *cli.Context) error {
	all, err := p.allProjects(c.Context)
	if err != nil {
		return err
	}
	rows := []listedProject{}
	for _, one := range all {
		rows = append(rows, listedProject{one, p.isOff(project.Project{Key: one.Key, Root: one.Root})})
	}
	return p.print(c, rows, func(w io.Writer) {
		if len(rows) == 0 {
			_, _ = fmt.Fprintln(w, "no project has been seen yet")
			return
		}
		_, _ = io.WriteString(w, p.header("PROJECT", "SEEN", "MEMORIES", "SESSIONS", "KEY"))
		for _, row := range rows {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\n", p.paint(cyan, printable(row.Name)), p.ago(row.SeenAt),
				row.Holding.Memories, row.Holding.Sessions, printable(row.Key)+projectNote(row))
		}
	})
}

func projectNote(row listedProject) string {
	switch {
	case row.MergedInto != "":
		return ", part of " + printable(row.MergedInto)
	case row.Off:
		return ", off"
	}
	return ""
}

func (p *program) isOff(one project.Project) bool { return one.IsOff(p.paths.OffMark(one.Key)) }

func (p *program) allProjects(ctx context.Context) ([]memory.ProjectHolding, error) {
	all := []memory.ProjectHolding{}
	return all, p.call(ctx, agentapi.MethodProjects, nil, &all)
}

// stored finds the project that somebody means among those that are stored: by
// its key, by its name if that is its alone, or by a directory of it.
func (p *program) stored(ctx context.Context, what string) (memory.ProjectHolding, error) {
	all, err := p.allProjects(ctx)
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
		return memory.ProjectHolding{}, usagef("%d projects have the name %q; give the key, as memory projects list shows it", len(named), what)
	}
	if info, err := os.Stat(what); err == nil && info.IsDir() {
		if where, _ := p.identify(what); where.Key != "" {
			for _, one := range all {
				if one.Key == where.Key {
					return one, nil
				}
			}
		}
	}
	return memory.ProjectHolding{}, fmt.Errorf("project %s: %w; memory projects list shows all", memory.Cut(what, 200), memory.ErrNotFound)
}

func (p *program) mergeProjects(c *cli.Context) error {
	if c.Args().Len() != 2 {
		return usagef("merge what? memory projects merge INTO FROM makes FROM a part of INTO")
	}
	into, err := p.stored(c.Context, c.Args().Get(0))
	if err != nil {
		return err
	}
	from, err := p.stored(c.Context, c.Args().Get(1))
	if err != nil {
		return err
	}
	question := fmt.Sprintf("%s (%s) becomes a part of %s. This cannot be undone. Go on?", from.Key, held(from.Holding), into.Key)
	if err := p.confirm(c, question); err != nil {
		return err
	}
	var moved memory.Holding
	if err := p.call(c.Context, agentapi.MethodMergeProjects, agentapi.MergeParams{From: from.Key, Into: into.Key}, &moved); err != nil {
		return err
	}
	return p.print(c, moved, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s is a part of %s now; moved: %s\n", printable(from.Key), printable(into.Key), held(moved))
	})
}

// errDeclined says that the user does not want it after all.
var errDeclined = errors.New("nothing was changed: it was not confirmed")

// confirm asks once, unless --yes says that it need not.
func (p *program) confirm(c *cli.Context, question string) error {
	switch {
	case c.Bool("yes"):
		return nil
	case !p.interactive:
		return usagef("%s Say so with --yes: there is nobody to ask", question)
	case !p.isYes(question):
		return errDeclined
	}
	return nil
}

const maxProjectName = 100 // bytes

func (p *program) renameProject(c *cli.Context) error {
	if c.Args().Len() != 2 {
		return usagef("rename what? memory projects rename PROJECT NAME")
	}
	name := memory.OneLine(withoutControls(c.Args().Get(1)))
	if len(name) > maxProjectName {
		return usagef("the name has %d bytes, the most is %d", len(name), maxProjectName)
	}
	one, err := p.stored(c.Context, c.Args().First())
	if err != nil {
		return err
	}
	if err := p.call(c.Context, agentapi.MethodRenameProject, agentapi.RenameParams{Key: one.Key, Name: name}, nil); err != nil {
		return err
	}
	return p.print(c, map[string]string{"key": one.Key, "name": name}, func(w io.Writer) {
		if name == "" {
			_, _ = fmt.Fprintf(w, "%s has the name of its directory again\n", printable(one.Key))
			return
		}
		_, _ = fmt.Fprintf(w, "%s is called %s now\n", printable(one.Key), name)
	})
}

// switchProject makes or removes the mark that hooks look for. It needs no agent;
// with one, the projects that were merged into this are switched with it.
func (p *program) switchProject(c *cli.Context, on bool) error {
	where, err := p.switched(c)
	if err != nil {
		return err
	}
	keys := []string{where.Key}
	var all []memory.ProjectHolding
	err = p.ask(c.Context, agentapi.MethodProjects, nil, &all)
	if err != nil && !errors.Is(err, agentapi.ErrNoAgent) && !errors.Is(err, memory.ErrUnavailable) {
		return err
	}
	for _, one := range all {
		if one.MergedInto == where.Key {
			keys = append(keys, one.Key)
		}
	}
	for _, key := range keys {
		if err := p.setMark(key, on); err != nil {
			return err
		}
	}
	answer := map[string]any{"key": where.Key, "off": p.isOff(where)}
	return p.print(c, answer, func(w io.Writer) {
		switch {
		case !on:
			_, _ = fmt.Fprintf(w, "off: nothing is captured or given in %s until memory projects on\n", printable(where.Name))
		case p.isOff(where):
			_, _ = fmt.Fprintf(w, "still off: the project has the file %s\n", filepath.Join(where.Root, project.OffFile))
		default:
			_, _ = fmt.Fprintf(w, "on: %s is remembered\n", printable(where.Name))
		}
	})
}

// switched is the project that off and on are about: a directory, or one that is
// stored.
func (p *program) switched(c *cli.Context) (project.Project, error) {
	switch c.Args().Len() {
	case 0:
		return p.project(c)
	case 1:
	default:
		return project.Project{}, usagef("give one project, or none for that of this directory")
	}
	what := c.Args().First()
	if info, err := os.Stat(what); err == nil && info.IsDir() {
		where, _ := p.identify(what) // usable whatever is wrong with the repository
		return where, nil
	}
	one, err := p.stored(c.Context, what)
	return project.Project{Key: one.Key, Name: one.Name, Root: one.Root}, err
}

func (p *program) setMark(key string, on bool) error {
	mark := p.paths.OffMark(key)
	if on {
		if err := os.Remove(mark); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("switch the memory on: %w", err)
		}
		return nil
	}
	if err := writeMark(mark, strings.TrimSpace(key)+"\n"); err != nil {
		return fmt.Errorf("switch the memory off: %w", err)
	}
	return nil
}
