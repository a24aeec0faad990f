package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

type importReport struct {
	importer.Report
	Transcripts *importer.SessionsReport `json:"transcripts,omitempty"`
	From        string                   `json:"from,omitempty"` // the folder of the transcripts
	Export      *importer.DecodeReport   `json:"export,omitempty"`
	Unread      []string                 `json:"files_not_read,omitempty"`
}

func printImported(ctx context.Context, e *environment, r importReport) error {
	return e.Print(r, func(w io.Writer) {
		if r.Transcripts != nil || r.Export != nil {
			_, _ = fmt.Fprintf(w, "imported %s of %s, from %s\n", memory.Counted(r.Prompts, "prompt"),
				memory.Counted(r.Sessions, "session"), memory.Counted(r.Events, "event"))
		}
		_, _ = fmt.Fprintf(w, "new: %s\n", newByKind(r.Kinds))
		importNote(w, r.Off, "event", "left out, because memory is off in its project")
		if r.Refused > 0 {
			_, _ = fmt.Fprintf(w, "refused %s: %s\n", memory.Counted(r.Refused, "event"), terminal.Printable(strings.Join(r.Reasons, "; ")))
		}
		if t := r.Transcripts; t != nil {
			_, _ = fmt.Fprintf(w, "%s read\n", memory.Counted(t.Files, "transcript"))
			importNote(w, t.Captured, "session", "skipped, because hooks captured them (--again imports them, too)")
			importNote(w, t.Off, "transcript", "left out, because memory is off in its project")
			importNote(w, t.Nowhere, "transcript", "left out, because the file does not name the session's directory")
			importNote(w, t.WithoutPrompt, "transcript", "left out, because no prompt is yours")
			importNote(w, t.Copied, "event", "copied from other sessions, and counted there")
			importNote(w, t.Unread, "entry", "of the folder not read, the first is "+terminal.Printable(t.FirstUnread))
			if *t == (importer.SessionsReport{}) {
				_, _ = fmt.Fprintln(w, "there are no transcripts in "+terminal.Printable(r.From))
			}
			importNote(w, t.BrokenLines, "broken or unknown line", "passed over, the first is "+terminal.Printable(t.FirstBroken))
		}
		if e := r.Export; e != nil {
			importNote(w, e.Broken, "broken line", fmt.Sprintf("passed over, the first is line %d", e.FirstBroken))
		}
		for _, file := range r.Unread {
			_, _ = fmt.Fprintf(w, "not read: %s\n", terminal.Printable(file))
		}
	})
}

// newByKind returns the number of new memories of each kind as text, the most frequent first.
func newByKind(kinds map[memory.Kind]int) string {
	total, parts := 0, []string{}
	for _, kind := range slices.SortedFunc(maps.Keys(kinds), func(a, b memory.Kind) int {
		return cmp.Or(cmp.Compare(kinds[b], kinds[a]), cmp.Compare(a, b))
	}) {
		total += kinds[kind]
		parts = append(parts, fmt.Sprintf("%d %s", kinds[kind], kind))
	}
	text := memory.Counted(total, "memory")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}

func importNote(w io.Writer, n int, one, what string) {
	if n > 0 {
		_, _ = fmt.Fprintln(w, memory.Counted(n, one)+" "+what)
	}
}

// importWriter returns a writer that sends events to the daemon, after starting it if necessary.
func importWriter(ctx context.Context, e *environment) (*importer.Writer, error) {
	if _, err := e.Daemon.Start(ctx); err != nil {
		return nil, err
	}
	send := func(ctx context.Context, events []memory.Event) (daemonapi.ImportResult, error) {
		return daemonapi.MethodImport.Ask(ctx, e.Daemon.CallLong, daemonapi.ImportParams{Events: events})
	}
	return &importer.Writer{Send: send, IsOff: offProjects(e)}, nil
}

// offProjects returns a function that reports whether memory is off for a project. It caches the answers.
func offProjects(e *environment) func(memory.Project) bool {
	known := map[string]bool{}
	return func(where memory.Project) bool {
		isOff, isKnown := known[where.Key]
		if !isKnown {
			root := cmp.Or(where.Root, e.Paths.Home) // an export may lack the root
			isOff = e.IsOff(project.Project{Key: where.Key, Root: root})
			known[where.Key] = isOff
		}
		return isOff
	}
}

func transcriptsDir(e *environment) string { return filepath.Join(e.ClientDir(), "projects") }

// importedTo returns the project of a directory as events contain it.
func importedTo(e *environment, dir string) (memory.Project, error) {
	where, err := e.projectAt(dir)
	return memory.Project{Key: where.Key, Name: where.Name, Root: where.Root}, err
}

// carry imports a source and prints the report.
func carry(ctx context.Context, e *environment, r importReport, source iter.Seq2[memory.Event, error]) error {
	writer, err := importWriter(ctx, e)
	if err != nil {
		return err
	}
	err = writer.WriteAll(ctx, source)
	if ctx.Err() != nil {
		return memory.Mark(errors.New("interrupted; the same command continues, and stores nothing twice"), ctx.Err())
	}
	if err != nil {
		return err
	}
	r.Report = writer.Report()
	return printImported(ctx, e, r)
}

// carryEvents imports events that are already in memory.
func carryEvents(ctx context.Context, e *environment, r importReport, events []memory.Event) error {
	return carry(ctx, e, r, func(yield func(memory.Event, error) bool) {
		for _, event := range events {
			if !yield(event, nil) {
				return
			}
		}
	})
}

// mayBeMine returns an error if a file lies in a repository: anybody may have written it, whatever words it claims to have. The user's own words can
// be imported by a person only (consent.NeedsPerson), and only from a file outside of repositories.
func mayBeMine(e *environment, path string) error {
	root := project.Repository(path)
	home := e.Getenv("HOME")
	isOwn := func(folder string) bool { return root == project.Resolved(folder) } // people keep these folders in repositories of their own
	if root == "" || slices.ContainsFunc([]string{home, filepath.Join(home, ".claude"), filepath.Join(home, ".codex")}, isOwn) {
		return nil
	}
	return fmt.Errorf("%s lies in the git repository %s, so anybody may have written it: copy what is yours out of the repository", path, root)
}
