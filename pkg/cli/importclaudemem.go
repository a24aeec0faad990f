package cli

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer/sqlite"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func importClaudeMem(ctx context.Context, e *environment, o importOptions) error {
	database, err := sqlite.OpenClaudeMem(ctx, cmp.Or(o.source(), claudeMemFile(e)))
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
	if !o.dryRun { // before the first row: an import that is interrupted goes on with the same projects
		state.Projects = projects
		if err := state.Save(); err != nil {
			return err
		}
	}
	sessions := database.Sessions(ctx, func(name string) memory.Project { return claudeMemProject(projects, name) })
	return o.carry(ctx, e, importReport{Unplaced: unplaced(projects)}, "claude-mem", counts.Rows(), sessions)
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
func claudeMemFile(e *environment) string {
	dir := cmp.Or(e.Getenv("CLAUDE_MEM_DATA_DIR"), filepath.Join(e.Getenv("HOME"), ".claude-mem"))
	return filepath.Join(dir, "claude-mem.db")
}

// claudeMemProjects finds the project of each of claude-mem's names: by the user's
// option, an earlier import, or the transcripts of its sessions.
func claudeMemProjects(
	ctx context.Context, e *environment, database *sqlite.ClaudeMem, state *importer.State,
	given func(name string) (dir string),
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

func sessionsDir(e *environment, sessions []string) string {
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
