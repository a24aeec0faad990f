package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func exportCommand(e *environment) *cli.Command {
	all := &cli.BoolFlag{Name: "all", Usage: "all projects, and the user's own memories"}
	markdown := &cli.StringFlag{
		Name:  "markdown",
		Usage: "write Markdown files into `FOLDER` instead, one for each project, for Obsidian or any editor",
	}
	return &cli.Command{
		Name: "export", Usage: "write the memories as JSON Lines or Markdown", ArgsUsage: "[FILE]",
		Description: described("The same memories make the same Markdown files. If FILE or one of these exists, nothing is written.",
			"memory export memories.jsonl", "memory export --all - | gzip > all.jsonl.gz",
			"memory export --markdown ~/vault/memory"),
		Flags: []cli.Flag{all, markdown}, Action: with(e, exportMemories),
	}
}

// exportMemories writes the export to the file, or to standard output without a report.
func exportMemories(c *cli.Context, e *environment) error {
	ctx, file, markdown := c.Context, c.Args().First(), c.String("markdown")
	switch {
	case file != "" && markdown != "":
		return usagef("export either to a FILE or to a folder with --markdown")
	case c.Bool("all") && c.IsSet("project"):
		return usagef("export either one --project or --all")
	}
	key, err := e.Key(c.Bool("all"))
	if err != nil {
		return err
	}
	if markdown != "" {
		return exportNotes(ctx, e, key, markdown)
	}
	report := exportReport{File: file, Project: key}
	if report.File == "" || report.File == "-" {
		_, err := exportTo(ctx, e, e.Out, report.Project)
		return err
	}
	if _, err := os.Lstat(file); err == nil {
		return usagef("nothing was written: %s exists already: name another file", file)
	}
	if report.ExportCounts, err = exportToFile(ctx, e, report.File, report.Project); err != nil {
		return err
	}
	return e.Print(report, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "exported %s, %s, %s to %s\n", terminal.Counted(report.Memories, "memory"),
			terminal.Counted(report.Prompts, "prompt"), terminal.Counted(report.Sessions, "session"),
			terminal.Printable(report.File))
		importNote(w, report.Redacted, "row", "with secrets or private parts, which were left out")
	})
}

// exportToFile writes a whole export or none. Only the user can read the file.
func exportToFile(ctx context.Context, e *environment, file, project string) (importer.ExportCounts, error) {
	var counts importer.ExportCounts
	err := atomicfile.Fill(file, 0o600, func(w io.Writer) error {
		var err error
		counts, err = exportTo(ctx, e, w, project)
		return err
	})
	if err != nil {
		return counts, fmt.Errorf("export to %s: %w", file, err)
	}
	return counts, nil
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
	if o.mine {
		if err := mayBeMine(e, o.source()); err != nil {
			return err
		}
	}
	f, info, err := importer.Open(o.source())
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
	decoder.Mine = o.mine
	return o.carry(ctx, e, importReport{Export: &decoder.Report}, "export", int(info.Size()), decoder.Bundles())
}

type exportReport struct {
	File    string `json:"file,omitempty"`
	Project string `json:"project,omitempty"`
	importer.ExportCounts
}

// exportPages reads the given sections by a query page by page, and calls take with each page.
func exportPages(ctx context.Context, e *environment, query memory.ExportQuery, sections []memory.Section, take func(memory.ExportPage) error) error {
	bar := e.Bar(-1, "export")
	defer bar.Close()
	for _, section := range sections {
		for query.Section = section; ; {
			page, err := daemonapi.MethodExport.Ask(ctx, e.Daemon.CallLong, query)
			if err == nil {
				err = take(page)
			}
			if err != nil {
				return err
			}
			bar.Add(memory.ExportLimit)
			if query.After = page.Next; query.After == "" {
				break
			}
		}
	}
	return nil
}
