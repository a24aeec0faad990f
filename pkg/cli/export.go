package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func exportCommand(e *environment) *cli.Command {
	all := &cli.BoolFlag{Name: "all", Usage: "all projects, and the user's own memories"}
	markdown := &cli.BoolFlag{Name: "markdown", Usage: "as a Markdown page for Obsidian or any editor, instead of JSON Lines"}
	return &cli.Command{
		Name: "export", Usage: "write the memories as JSON Lines or Markdown", ArgsUsage: "[FILE]",
		Description: described("The same memories make the same Markdown page. If FILE exists, nothing is written.",
			"memory export memories.jsonl", "memory export --all - | gzip > all.jsonl.gz",
			"memory export --markdown ~/vault/memory.md"),
		Flags: []cli.Flag{all, markdown}, Action: with(e, exportMemories),
	}
}

// exportMemories writes the export to the file, or to standard output without a report.
func exportMemories(c *cli.Context, e *environment) error {
	ctx, file, write := c.Context, c.Args().First(), exportTo
	if c.Bool("markdown") {
		write = exportNotes
	}
	if c.Bool("all") && c.IsSet("project") {
		return usagef("export either one --project or --all")
	}
	key, err := e.Key(c.Bool("all"))
	if err != nil {
		return err
	}
	report := exportReport{File: file, Project: key}
	if file == "" || file == "-" {
		_, err := write(ctx, e, e.Out, key)
		return err
	}
	if _, err := os.Lstat(file); err == nil {
		return usagef("nothing was written: %s exists already: name another file", file)
	}
	err = atomicfile.Fill(file, 0o600, func(w io.Writer) (err error) { // the whole export or none
		report.ExportCounts, err = write(ctx, e, w, key)
		return err
	})
	if err != nil {
		return fmt.Errorf("export to %s: %w", file, err)
	}
	return e.Print(report, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "exported %s, %s, %s to %s\n", terminal.Counted(report.Memories, "memory"),
			terminal.Counted(report.Prompts, "prompt"), terminal.Counted(report.Sessions, "session"),
			terminal.Printable(report.File))
		importNote(w, report.Redacted, "row", "with secrets or private parts, which were left out")
	})
}

func exportTo(ctx context.Context, e *environment, w io.Writer, project string) (importer.ExportCounts, error) {
	encoder, err := importer.NewEncoder(w, project, e.Now())
	if err != nil {
		return importer.ExportCounts{}, err
	}
	err = exportPages(ctx, e, memory.ExportQuery{Project: project, Fates: true}, memory.Sections(), encoder.Page)
	return encoder.Counts, err
}

func importExport(ctx context.Context, e *environment, o importOptions) error {
	if err := mayBeMine(e, o.source()); err != nil {
		return err
	}
	f, _, err := importer.Open(o.source())
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("import %s: there is no such file: %w", o.source(), memory.ErrNotFound)
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	decoder, err := importer.NewDecoder(f)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return carry(ctx, e, importReport{Export: &decoder.Report}, decoder.Events())
}

type exportReport struct {
	File    string `json:"file,omitempty"`
	Project string `json:"project,omitempty"`
	importer.ExportCounts
}

// exportPages reads the given sections by a query page by page, and calls take with each page.
func exportPages(ctx context.Context, e *environment, query memory.ExportQuery, sections []memory.Section, take func(memory.ExportPage) error) error {
	for _, section := range sections {
		for query.Section = section; ; {
			page, err := daemonapi.MethodExport.Ask(ctx, e.Daemon.CallLong, query)
			if err == nil {
				err = take(page)
			}
			if err != nil {
				return err
			}
			if query.After = page.Next; query.After == "" {
				break
			}
		}
	}
	return nil
}

// exportNotes writes a Markdown page for each project, or for one, and for the user's own memories (export --markdown).
func exportNotes(ctx context.Context, e *environment, w io.Writer, project string) (counts importer.ExportCounts, err error) {
	var projects []memory.Project
	memories := map[string][]memory.Memory{}
	sections := []memory.Section{memory.SectionProject, memory.SectionMemory}
	err = exportPages(ctx, e, memory.ExportQuery{Project: project}, sections, func(page memory.ExportPage) error {
		projects = append(projects, page.Projects...)
		for _, m := range page.Memories {
			if m.Recallable() {
				memories[m.Project] = append(memories[m.Project], m)
			}
		}
		return nil
	})
	if err != nil {
		return counts, err
	}
	var pages [][]byte
	slices.SortFunc(projects, func(a, b memory.Project) int { return strings.Compare(a.Key, b.Key) })
	for _, where := range append(projects, memory.Project{}) {
		if some := memories[where.Key]; len(some) > 0 {
			page, written, redacted := importer.Notes(where, some)
			pages, counts.Memories, counts.Redacted = append(pages, page), counts.Memories+written, counts.Redacted+redacted
		}
	}
	_, err = w.Write(bytes.Join(pages, []byte("\n")))
	return counts, err
}
