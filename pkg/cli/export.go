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
	all := &cli.BoolFlag{Name: "all", Usage: "the memories of all projects, and yours for every project"}
	return &cli.Command{
		Name: "export", Usage: "write the memories as JSON Lines", ArgsUsage: "[FILE]",
		Description: described("If FILE exists, nothing is written.",
			"memory export memories.jsonl", "memory export --all - | gzip > all.jsonl.gz"),
		Flags: []cli.Flag{all}, Action: with(e, exportMemories),
	}
}

// exportMemories writes the export to the file, or to standard output without a report.
func exportMemories(c *cli.Context, e *environment) error {
	ctx, file := c.Context, c.Args().First()
	if c.Bool("all") && c.IsSet("project") {
		return usagef("export either one --project or --all")
	}
	key, err := e.Key(c.Bool("all"))
	if err != nil {
		return err
	}
	report := exportReport{File: file, Project: key}
	if file == "" || file == "-" {
		_, err := exportTo(ctx, e, e.Out, key)
		return err
	}
	if _, err := os.Lstat(file); err == nil {
		return usagef("%s exists already, so nothing was written: name another file", file)
	}
	err = atomicfile.Fill(file, 0o600, func(w io.Writer) (err error) { // the whole export or none
		report.ExportCounts, err = exportTo(ctx, e, w, key)
		return err
	})
	if err != nil {
		return fmt.Errorf("export to %s: %w", file, err)
	}
	return e.Print(report, func(w io.Writer) {
		rows := report.Rows
		_, _ = fmt.Fprintf(w, "exported %s, %s, %s to %s\n", memory.Counted(rows[memory.SectionMemory], "memory"),
			memory.Counted(rows[memory.SectionPrompt], "prompt"), memory.Counted(rows[memory.SectionSession], "session"),
			terminal.Printable(report.File))
		importNote(w, report.Redacted, "line", "with secrets or <private> texts, which were left out")
	})
}

// exportTo writes an export of a project, or of everything if project is "", page by page. It escapes what could control a terminal that shows it.
func exportTo(ctx context.Context, e *environment, w io.Writer, project string) (importer.ExportCounts, error) {
	encoder, err := importer.NewEncoder(terminal.JSONLines(w), project, e.Now())
	if err != nil {
		return importer.ExportCounts{}, err
	}
	for _, section := range memory.Sections() {
		for query := (memory.ExportQuery{Project: project, Section: section}); ; {
			page, err := daemonapi.MethodExport.Ask(ctx, e.Daemon.CallLong, query)
			if err == nil {
				err = encoder.Page(page)
			}
			if err != nil {
				return encoder.Counts, err
			}
			if query.After = page.Next; query.After == "" {
				break
			}
		}
	}
	return encoder.Counts, nil
}

func importExport(c *cli.Context, e *environment) error {
	file := c.Args().First()
	if err := mayBeMine(e, file); err != nil {
		return err
	}
	f, _, err := importer.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("import %s: there is no such file: %w", file, memory.ErrNotFound)
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	decoder, err := importer.NewDecoder(f)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return carry(c.Context, e, importReport{Export: &decoder.Report}, decoder.Events())
}

type exportReport struct {
	File    string `json:"file,omitempty"`
	Project string `json:"project,omitempty"`
	importer.ExportCounts
}
