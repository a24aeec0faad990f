package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func importAutoMemory(c *cli.Context, e *environment) error {
	where, err := importedTo(e, cmp.Or(e.Dir, e.here()))
	if err != nil {
		return err
	}
	var report importReport
	var events []memory.Event
	for _, folder := range c.Args().Slice() {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return fmt.Errorf("import %s: there is no such folder; name one that has a MEMORY.md: %w", folder, memory.ErrNotFound)
		}
		found, unread, err := importer.AutoMemory(folder, where)
		if err != nil {
			return err
		}
		report.Unread = append(report.Unread, unread...)
		events = append(events, found...)
	}
	return carryEvents(c.Context, e, report, events)
}

func absolutePath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil { // happens only if the working directory is gone
		return path
	}
	return abs
}

func importClaudeMD(c *cli.Context, e *environment) error {
	var events []memory.Event
	for _, file := range c.Args().Slice() {
		isUsers := absolutePath(filepath.Dir(file)) == absolutePath(e.ClientDir()) && !e.InModelsShell()
		where := memory.Project{}
		if !isUsers {
			var err error
			if where, err = importedTo(e, cmp.Or(e.Dir, filepath.Dir(file))); err != nil {
				return err
			}
		}
		found, err := importer.ClaudeMD(file, where, isUsers)
		if err != nil {
			return err
		}
		events = append(events, found...)
	}
	return carryEvents(c.Context, e, importReport{}, events)
}
