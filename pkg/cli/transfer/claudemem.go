package transfer

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer/claudemem"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// claudeMemOptions name the database to read, and the folders of its projects.
type claudeMemOptions struct {
	command.Shared
	file   string              // empty is claude-mem's own
	dirOf  func(string) string // the directory that was given for a name of claude-mem's, or ""
	dryRun bool
}

func claudeMemOptionsOf(c *cli.Context) (o claudeMemOptions, err error) {
	if c.Args().Len() > 1 {
		return o, command.Usagef("import one database of claude-mem at a time")
	}
	o.Shared, o.file, o.dryRun = command.SharedOf(c), c.Args().First(), c.Bool("dry-run")
	o.dirOf, err = mapped(c)
	return o, err
}

func importClaudeMem(ctx context.Context, e *command.Env, o claudeMemOptions) error {
	file := cmp.Or(o.file, claudeMemFile(e))
	database, err := claudemem.Open(ctx, file)
	if err != nil {
		return err
	}
	defer func() { _ = database.Close() }()
	state, err := importer.LoadState(e.Paths.Imports())
	if err != nil {
		return err
	}
	projects, err := claudeMemProjects(ctx, e, database, state, o.dirOf)
	if err != nil {
		return err
	}
	counts, err := database.Counts(ctx)
	if err != nil {
		return err
	}
	writer, err := importWriter(ctx, e, o.dryRun)
	if err != nil {
		return err
	}
	if writer.Send != nil { // before the first row: an import that is interrupted goes on with the same projects
		state.Projects = projects
		if err := state.Save(); err != nil {
			return err
		}
	}
	bar := e.Bar(counts.Rows(), "claude-mem")
	defer func() { _ = bar.Close() }()
	for bundle, err := range database.Sessions(ctx, func(name string) memory.Project { return claudeMemProject(projects, name) }) {
		if err != nil {
			return err
		}
		if err := writer.Put(ctx, bundle.Events...); err != nil {
			return err
		}
		_ = bar.Add(bundle.Rows)
	}
	if err := writer.Flush(ctx); err != nil {
		return err
	}
	_ = bar.Finish()
	return printImported(ctx, e, o.Shared, imported{DryRun: writer.Send == nil, Report: writer.Report(), Unplaced: unplaced(projects)})
}

// unplaced lists the claude-mem projects whose directory is not known.
func unplaced(projects map[string]memory.Project) []string {
	var keys []string
	for name, where := range projects {
		if where == claudeMemProject(nil, name) {
			keys = append(keys, where.Key)
		}
	}
	slices.Sort(keys)
	return keys
}

// claudeMemFile is where claude-mem keeps its database.
func claudeMemFile(e *command.Env) string {
	dir := cmp.Or(e.Getenv("CLAUDE_MEM_DATA_DIR"), filepath.Join(e.Getenv("HOME"), ".claude-mem"))
	return filepath.Join(dir, "claude-mem.db")
}

// claudeMemProjects finds the project of each of claude-mem's names: by the user's
// option, an earlier import, or the transcripts of its sessions.
func claudeMemProjects(
	ctx context.Context, e *command.Env, database *claudemem.Database, state *importer.State, given func(name string) (dir string),
) (map[string]memory.Project, error) {
	named, err := database.Projects(ctx)
	if err != nil {
		return nil, err
	}
	projects := state.Projects
	for _, one := range named {
		dir := given(one.Name)
		if _, known := projects[one.Name]; dir == "" && !known {
			dir = sessionsDir(e, one.Sessions)
		}
		if dir == "" {
			projects[one.Name] = claudeMemProject(projects, one.Name)
			continue
		}
		if projects[one.Name], err = budgetScopeOf(e, dir); err != nil {
			return nil, err
		}
	}
	return projects, nil
}

// mapped tells which directory the user gave for a name of claude-mem's.
func mapped(c *cli.Context) (func(name string) string, error) {
	all, err := existing(c, "project")
	if err != nil {
		return nil, err
	}
	given := map[string]string{}
	for _, pair := range c.StringSlice("map") {
		name, dir, found := strings.Cut(pair, "=")
		if info, err := os.Stat(dir); !found || name == "" || err != nil || !info.IsDir() {
			return nil, command.Usagef("--map %q: write NAME=DIR with a directory that is there", pair)
		}
		given[name] = dir
	}
	return func(name string) string { return cmp.Or(given[name], all) }, nil
}

// existing is the directory that a flag gives, or "".
func existing(c *cli.Context, flag string) (string, error) {
	dir := c.String(flag)
	if info, err := os.Stat(dir); dir != "" && (err != nil || !info.IsDir()) {
		return "", command.Usagef("--%s %q is no directory", flag, dir)
	}
	return dir, nil
}

func sessionsDir(e *command.Env, sessions []string) string {
	for _, session := range sessions {
		if dir := importer.DirOfSession(transcriptsDir(e), session); dir != "" {
			return dir
		}
	}
	return ""
}

// claudeMemProject is the project of a name. One whose place is not known keeps
// its name, and can be merged into another later.
func claudeMemProject(projects map[string]memory.Project, name string) memory.Project {
	if where, known := projects[name]; known {
		return where
	}
	return memory.Project{Key: "claude-mem/" + name, Name: name}
}
