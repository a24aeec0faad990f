package transfer

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// fileOptions are those of the imports that read files.
type fileOptions struct {
	command.Shared
	dryRun bool
}

// fileOptionsOf reads them; the project's directory must be there.
func fileOptionsOf(c *cli.Context) (o fileOptions, err error) {
	o.Shared, o.dryRun = command.SharedOf(c), c.Bool("dry-run")
	_, err = existing(c, "project")
	return o, err
}

// autoMemoryOptions say which of Claude Code's memory folders to read.
type autoMemoryOptions struct {
	fileOptions
	folders []string // none means all
}

func autoMemoryOptionsOf(c *cli.Context) (o autoMemoryOptions, err error) {
	o.folders = c.Args().Slice()
	o.fileOptions, err = fileOptionsOf(c)
	return o, err
}

func importAutoMemory(ctx context.Context, e *command.Env, o autoMemoryOptions) error {
	folders := o.folders
	if len(folders) == 0 {
		found, err := filepath.Glob(filepath.Join(transcriptsDir(e), "*", "memory"))
		if err != nil {
			return fmt.Errorf("find the memory folders: %w", err)
		}
		folders = found
	}
	var report importReport
	var events []memory.Event
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return fmt.Errorf("import %s: there is no such folder: %w", folder, memory.ErrNotFound)
		}
		dir := cmp.Or(o.Dir, importer.DirOfFolder(filepath.Dir(absolute(folder))))
		if dir == "" {
			report.Folders = append(report.Folders, folder)
			continue
		}
		where, err := budgetScopeOf(e, dir)
		if err != nil {
			return err
		}
		found, err := importer.AutoMemory(folder, where)
		if err != nil {
			return err
		}
		events = append(events, found...)
	}
	return importEvents(ctx, e, o.fileOptions, events, report)
}

func absolute(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil { // only when the working directory is gone
		return path
	}
	return abs
}

// claudeMDOptions say which CLAUDE.md files to read, and whose they are.
type claudeMDOptions struct {
	fileOptions
	files []string
	user  bool // for all projects
}

func claudeMDOptionsOf(c *cli.Context) (o claudeMDOptions, err error) {
	o.files, o.user = c.Args().Slice(), c.Bool("user")
	if len(o.files) == 0 {
		return o, command.Usagef("import which CLAUDE.md? name the file; none is imported by itself")
	}
	o.fileOptions, err = fileOptionsOf(c)
	return o, err
}

func importClaudeMD(ctx context.Context, e *command.Env, o claudeMDOptions) error {
	var events []memory.Event
	for _, file := range o.files {
		isUsers := absolute(filepath.Dir(file)) == absolute(e.ClientDir()) && !e.InModelsShell()
		if o.user && !isUsers {
			if err := mayBeMine(e, file, "--user"); err != nil {
				return err
			}
			isUsers = true
		}
		where := memory.Project{}
		if !isUsers {
			var err error
			if where, err = budgetScopeOf(e, cmp.Or(o.Dir, filepath.Dir(file))); err != nil {
				return err
			}
		}
		found, err := importer.ClaudeMD(file, where, isUsers)
		if err != nil {
			return fmt.Errorf("import %s: %w", file, err)
		}
		events = append(events, found...)
	}
	return importEvents(ctx, e, o.fileOptions, events, importReport{})
}

func importEvents(ctx context.Context, e *command.Env, o fileOptions, events []memory.Event, report importReport) error {
	writer, err := importWriter(ctx, e, o.dryRun)
	if err != nil {
		return err
	}
	if err := writer.Put(ctx, events...); err != nil {
		return err
	}
	if err := writer.Flush(ctx); err != nil {
		return err
	}
	report.DryRun, report.Report = writer.Send == nil, writer.Report()
	return printImported(ctx, e, o.Shared, report)
}
