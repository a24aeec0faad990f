package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

type notesExport struct {
	Folder   string `json:"folder"`
	Files    int    `json:"files"`
	Memories int    `json:"memories"`
	Redacted int    `json:"redacted"`
}

// exportNotes writes a Markdown file for each project and one for the user (export --markdown). It writes nothing and
// fails if one of these files exists, because somebody may have changed it.
func exportNotes(ctx context.Context, e *environment, project, folder string) error {
	report := notesExport{Folder: folder}
	files, err := report.files(ctx, e, project)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(folder, name)
		switch _, err := os.Lstat(path); {
		case err == nil:
			return fmt.Errorf("nothing was written: %s exists: delete it, move it away, or name another folder: %w", path, memory.ErrInvalid)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("nothing was written: %w", err)
		}
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("export to %s: %w", folder, err)
	}
	for name, page := range files {
		if err := atomicfile.Write(filepath.Join(folder, name), 0o600, page); err != nil {
			return fmt.Errorf("export to %s: %w", folder, err)
		}
	}
	return e.Print(report, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "exported %s to %s in %s\n", terminal.Counted(report.Memories, "memory"),
			terminal.Counted(report.Files, "file"), terminal.Printable(report.Folder))
		importNote(w, report.Redacted, "row", "with secrets or private parts, which were left out")
	})
}

// files returns the pages by file name: of one project, or of all if project is "". It also counts them.
func (r *notesExport) files(ctx context.Context, e *environment, project string) (map[string][]byte, error) {
	var projects []memory.Project
	memories := map[string][]memory.Memory{}
	sections := []memory.Section{memory.SectionProject, memory.SectionMemory}
	err := exportPages(ctx, e, memory.ExportQuery{Project: project}, sections, func(page memory.ExportPage) error {
		projects = append(projects, page.Projects...)
		for _, m := range page.Memories {
			if m.Recallable() {
				memories[m.Project] = append(memories[m.Project], m)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	slices.SortFunc(projects, func(a, b memory.Project) int { return strings.Compare(a.Key, b.Key) })
	for _, where := range append(projects, memory.Project{}) {
		some := memories[where.Key]
		if len(some) == 0 {
			continue
		}
		number := 1
		for files[importer.NotesFile(where, number)] != nil {
			number++
		}
		page, written, redacted := importer.Notes(where, some)
		files[importer.NotesFile(where, number)] = page
		r.Files, r.Memories, r.Redacted = r.Files+1, r.Memories+written, r.Redacted+redacted
	}
	return files, nil
}
