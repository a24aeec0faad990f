package cli

import (
	"cmp"
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

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Notes are the memories as a folder of Markdown files: export --markdown writes it, and
// import markdown takes back people's changes.

// mostNotes bounds a file that is read, in bytes: notes of a hundred thousand memories
// have half of it.
const mostNotes = 64 << 20

// notesExport is the report of an export as Markdown.
type notesExport struct {
	Folder   string `json:"folder"`
	Files    int    `json:"files"`
	Memories int    `json:"memories"`
	Redacted int    `json:"redacted"`
}

// exportNotes writes a folder for each project and for the user. It writes nothing where
// a file has changes that were not imported, or is none of its own.
func exportNotes(ctx context.Context, e *environment, o exportOptions) error {
	project, err := e.Key(o.Dir, o.all)
	if err != nil {
		return err
	}
	files, report, err := noteFiles(ctx, e, project)
	if err != nil {
		return err
	}
	report.Folder = o.markdown
	stale, err := mayWrite(o.markdown, files)
	if err != nil {
		return err
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
	for _, path := range stale {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove a file that has no memories any more: %w", err)
		}
	}
	if err := rememberFolder(e, o.markdown); err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, report, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "exported %s to %s in %s\n", terminal.Counted(report.Memories, "memory"),
			terminal.Counted(report.Files, "file"), terminal.Printable(report.Folder))
		importNote(w, report.Redacted, "row", "redacted now")
	})
}

// noteFiles are the files of a project, or of all if none is named, by their paths in the
// folder.
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

// mayWrite checks that writing the files loses nothing that a person wrote, and returns
// the files that a former export has left of kinds without memories now.
func mayWrite(folder string, files map[string][]byte) (stale []string, err error) {
	for _, sub := range foldersOf(files) {
		if info, err := os.Lstat(filepath.Join(folder, sub)); err == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s is no folder, and links are not followed; nothing was written: remove it, or name another folder: %w", filepath.Join(folder, sub), memory.ErrInvalid)
		}
		there, err := filepath.Glob(filepath.Join(escapedPath(filepath.Join(folder, sub)), "*.md"))
		if err != nil {
			return nil, fmt.Errorf("look into %s: %w", folder, err)
		}
		for _, path := range there {
			rest, _ := filepath.Rel(folder, path) // path is below it
			content, isWritten := files[rest]
			old, err := readNotes(path)
			if errors.Is(err, memory.ErrInvalid) && !isWritten { // the user's own
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("%s would be overwritten, and nothing was written: %w: name another folder, or move it away", path, err)
			}
			isOurs, err := mayReplace(old, content)
			switch {
			case err == nil && isOurs && !isWritten:
				stale = append(stale, path)
			case !isOurs && !isWritten: // the user's own note
			case err != nil:
				return nil, fmt.Errorf("%s would be overwritten, and nothing was written: %w", path, err)
			}
		}
	}
	return stale, nil
}

// readNotes reads a file that may be one of an export: no link, nothing that is waited
// for, and nothing larger than notes are.
func readNotes(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it is a link or no file: %w", memory.ErrInvalid)
	}
	content, _, err := importer.ReadFile(path, mostNotes)
	return content, err
}

// foldersOf are the folders that files stand in, in order.
func foldersOf(files map[string][]byte) []string {
	folders := map[string]bool{}
	for name := range files {
		folders[filepath.Dir(name)] = true
	}
	return slices.Sorted(maps.Keys(folders))
}

// mayReplace reports whether a file is one of an export, and returns an error if the new content lacks something
// of it.
func mayReplace(old, content []byte) (isOurs bool, err error) {
	notes, err := importer.ReadNotes(old)
	if errors.Is(err, importer.ErrNoNotes) {
		return false, fmt.Errorf("%w: name another folder, or move it away", err)
	}
	if err != nil || !notes.Edited {
		return true, err
	}
	next, _ := importer.ReadNotes(content) // empty where no content is
	if missing := notes.Missing(next); missing != "" {
		return true, fmt.Errorf("it was changed since it was exported, and %q would be lost: memory import markdown FOLDER takes over what was changed and added in bullets; "+
			"move other text to a file of its own, or delete the file: %w", memory.Cut(missing, 60), memory.ErrInvalid)
	}
	return true, nil
}

// escapedPath is a path as a pattern that matches it alone.
func escapedPath(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// notesImport is the report of an import of Markdown.
type notesImport struct {
	DryRun    bool     `json:"dry_run,omitempty"`
	Corrected int      `json:"corrected"`
	New       int      `json:"new"`
	Unchanged int      `json:"unchanged"`
	Off       int      `json:"off,omitempty"`       // files of projects that are off
	LeftOut   int      `json:"left_out,omitempty"`  // corrections, and bullets for all projects, of notes that are not the user's own
	TooLarge  []string `json:"too_large,omitempty"` // files that were not read
	Gone      []string `json:"gone,omitempty"`      // lines whose memory is not active any more, and that were changed
}

// importNotes takes over the changes and additions in a folder of notes.
func importNotes(ctx context.Context, e *environment, o importOptions) error {
	if o.mine {
		if err := mayBeMine(e, o.source(), "--mine"); err != nil {
			return err
		}
	}
	paths, err := notePaths(o.source())
	if err != nil {
		return err
	}
	projects, err := e.AllProjects(ctx)
	if err != nil {
		return err
	}
	t := takeNotes{
		env: e, mine: o.mine, report: notesImport{DryRun: o.dryRun},
		projects: map[string]memory.Project{}, stored: map[string]memory.Memory{}, isOff: offProjects(e),
	}
	for _, one := range projects {
		t.projects[one.Key] = one.Project
	}
	err = exportPages(ctx, e, "", []memory.Section{memory.SectionMemory}, func(page memory.ExportPage) error {
		for _, m := range page.Memories {
			t.stored[memory.ShortID(m.ID)] = m
		}
		return nil
	})
	if err != nil {
		return err
	}
	found := 0
	for _, path := range paths {
		content, err := readNotes(path)
		if errors.Is(err, memory.ErrInvalid) {
			t.report.TooLarge = append(t.report.TooLarge, path)
			continue
		}
		if err != nil {
			return fmt.Errorf("import %s: %w", path, err)
		}
		notes, err := importer.ReadNotes(content)
		if errors.Is(err, importer.ErrNoNotes) { // the user's own note
			continue
		}
		if err == nil {
			found++
			err = t.file(ctx, path, notes)
		}
		if err != nil {
			return fmt.Errorf("import %s: %w", path, err)
		}
	}
	if found == 0 {
		return fmt.Errorf("import %s: no file in it was written by memory export --markdown FOLDER: %w",
			o.source(), memory.ErrNotFound)
	}
	return t.print(ctx, o)
}

// notePaths are the Markdown files in a folder and in those below it.
func notePaths(folder string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && filepath.Ext(path) == ".md" {
			paths = append(paths, path)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("import %s: there is no such folder: %w", folder, memory.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("import %s: %w", folder, err)
	}
	return paths, nil
}

// takeNotes takes over the changes of note files.
type takeNotes struct {
	env      *environment
	mine     bool
	report   notesImport
	projects map[string]memory.Project // by key
	stored   map[string]memory.Memory  // of all projects and the user, by their shown digits
	isOff    func(memory.Project) bool
}

func (t *takeNotes) file(ctx context.Context, path string, notes importer.Notes) error {
	where, known := t.projects[notes.Project.Key]
	switch {
	case notes.Project.Key == "": // the user's
	case !known:
		return fmt.Errorf("its project %s is not stored here; memory projects lists those that are: %w",
			cmp.Or(notes.Project.Name, notes.Project.Key), memory.ErrNotFound)
	case t.isOff(where):
		t.report.Off++
		return nil
	}
	var fresh []string
	for _, n := range notes.Notes {
		text, err := cleanNote(n.Text)
		if err != nil {
			return fmt.Errorf("line %d: %w", n.Line, err)
		}
		m, known := t.stored[n.ID]
		_, isThere := t.stored[memory.ShortID(memory.NewID(cmp.Or(m.Scope, scopeOf(where)), where.Key, text))]
		switch {
		case isThere, known && memory.OneLine(m.Content) == text:
			t.report.Unchanged++
		case !t.mine && (n.ID != "" || where.Key == ""):
			t.report.LeftOut++
		case n.ID == "":
			fresh = append(fresh, text)
		case known && m.Status == memory.StatusActive:
			if err := t.correct(ctx, where, m, text); err != nil {
				return fmt.Errorf("line %d: %w", n.Line, err)
			}
		default:
			t.report.Gone = append(t.report.Gone, fmt.Sprintf("%s:%d", path, n.Line))
		}
	}
	return t.keep(ctx, where, notes.Kind, fresh)
}

// scopeOf is the scope of most memories in a file.
func scopeOf(where memory.Project) memory.Scope {
	if where.Key == "" {
		return memory.ScopeUser
	}
	return memory.ScopeProject
}

// correct gives a memory another text. The old one is archived.
func (t *takeNotes) correct(ctx context.Context, where memory.Project, m memory.Memory, text string) error {
	t.report.Corrected++
	if t.report.DryRun {
		return nil
	}
	now := t.env.Now()
	change := memory.Change{
		ID: memory.NewEventID(now), At: now.UTC(), By: t.env.By(), Reason: "edited in Markdown",
		Content: text,
	}
	return t.env.Agent.Call(ctx, agentapi.MethodAmend.Call(agentapi.AmendParams{
		Project: where.Key, ID: m.ID,
		Change: change,
	}, &agentapi.AmendResult{}))
}

// keep stores the texts that were added to a file.
func (t *takeNotes) keep(ctx context.Context, where memory.Project, kind memory.Kind, texts []string) error {
	t.report.New += len(texts)
	if t.report.DryRun || len(texts) == 0 {
		return nil
	}
	writer, err := importWriter(ctx, t.env, false)
	if err != nil {
		return err
	}
	if err = writer.Put(ctx, importer.NewNotes(where, kind, texts, t.mine, t.env.Now().UTC())...); err == nil {
		err = writer.Flush(ctx)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted; the same command goes on from here: %w", ctx.Err())
	}
	return err
}

// cleanNote is a text as it may be kept, on one line.
func cleanNote(text string) (string, error) {
	clean, _, err := cleanText(text, "the text")
	return memory.OneLine(clean), err
}

func (t *takeNotes) print(ctx context.Context, o importOptions) error {
	r := t.report
	return t.env.Print(ctx, o.JSON, r, func(w io.Writer) {
		verb := ""
		if r.DryRun {
			verb = "would be "
		}
		_, _ = fmt.Fprintf(w, "%s %scorrected, %d new, %d unchanged\n", terminal.Counted(r.Corrected, "memory"),
			verb, r.New, r.Unchanged)
		importNote(w, r.Off, "file", "of projects that are off")
		importNote(w, r.LeftOut, "bullet",
			"left out, which corrects a memory or is for all projects (if the notes are your own: --mine)")
		for _, path := range r.TooLarge {
			_, _ = fmt.Fprintf(w, "left out: %s: it has more than %d MB\n", terminal.Printable(path), mostNotes>>20)
		}
		for _, line := range r.Gone {
			_, _ = fmt.Fprintf(w,
				"left out: %s: its memory was corrected or archived since; memory restore ID brings it back\n", terminal.Printable(line))
		}
	})
}
