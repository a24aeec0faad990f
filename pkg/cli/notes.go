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

// This file exports the memories as a folder of Markdown files (export --markdown).

type notesExport struct {
	Folder   string `json:"folder"`
	Files    int    `json:"files"`
	Memories int    `json:"memories"`
	Redacted int    `json:"redacted"`
}

// exportNotes writes a folder for each project and one for the user. It writes nothing and fails if one of these folders
// exists, because somebody may have changed its files.
func exportNotes(ctx context.Context, e *environment, o exportOptions) error {
	project, err := e.Key(o.all)
	if err != nil {
		return err
	}
	files, report, err := noteFiles(ctx, e, project)
	if err != nil {
		return err
	}
	report.Folder = o.markdown
	for _, folder := range foldersOf(files) {
		path := filepath.Join(o.markdown, folder)
		switch _, err := os.Lstat(path); {
		case err == nil:
			return fmt.Errorf("nothing was written: %s exists: delete it, move it away, or name another folder: %w", path, memory.ErrInvalid)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("nothing was written: %w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(o.markdown, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("export to %s: %w", o.markdown, err)
		}
		if err := atomicfile.Write(path, 0o600, files[name]); err != nil {
			return fmt.Errorf("export to %s: %w", path, err)
		}
	}
	return e.Print(report, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "exported %s to %s in %s\n", terminal.Counted(report.Memories, "memory"),
			terminal.Counted(report.Files, "file"), terminal.Printable(report.Folder))
		importNote(w, report.Redacted, "row", "redacted now")
	})
}

// noteFiles returns the files of a project (of all for ""), by their paths in the folder.
func noteFiles(ctx context.Context, e *environment, project string) (map[string][]byte, notesExport, error) {
	var report notesExport
	var projects []memory.Project
	sessions, memories := map[string][]memory.Session{}, map[string]map[memory.Kind][]memory.Memory{}
	err := exportPages(ctx, e, project, memory.Sections(), func(page memory.ExportPage) error {
		projects = append(projects, page.Projects...)
		for _, s := range page.Sessions {
			sessions[s.Project] = append(sessions[s.Project], s)
		}
		for _, m := range page.Memories {
			if !m.Recallable() {
				continue
			}
			if memories[m.Project] == nil {
				memories[m.Project] = map[memory.Kind][]memory.Memory{}
			}
			memories[m.Project][m.Kind] = append(memories[m.Project][m.Kind], m)
		}
		return nil
	})
	if err != nil {
		return nil, report, err
	}
	files, named := map[string][]byte{}, map[string]int{}
	slices.SortFunc(projects, func(a, b memory.Project) int { return strings.Compare(a.Key, b.Key) })
	for _, where := range append(projects, memory.Project{}) {
		first := importer.NoteFolder(where, 1)
		named[first]++
		folder := importer.NoteFolder(where, named[first])
		for kind, some := range memories[where.Key] {
			file := importer.NoteFile{Project: where, Kind: kind, Memories: some}
			report.Redacted += file.Redact()
			report.Memories += len(file.Memories)
			files[filepath.Join(folder, file.Name())] = file.Encode()
		}
		if some := sessions[where.Key]; len(some) > 0 {
			content, redacted := importer.SessionNotes(where, some)
			report.Redacted += redacted
			files[filepath.Join(folder, importer.SessionFile)] = content
		}
	}
	report.Files = len(files)
	return files, report, nil
}

// foldersOf returns the folders of the files, sorted.
func foldersOf(files map[string][]byte) []string {
	folders := map[string]bool{}
	for name := range files {
		folders[filepath.Dir(name)] = true
	}
	return slices.Sorted(maps.Keys(folders))
}
