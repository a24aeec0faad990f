package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func (p *program) exportCommand() *cli.Command {
	all := &cli.BoolFlag{Name: "all", Usage: "all projects, and what is the user's"}
	return &cli.Command{
		Name: "export", Usage: "write what is remembered as JSON Lines, redacted once more", ArgsUsage: "[FILE]",
		Description: described("", "memory export memories.jsonl", "memory export --all - | gzip > all.jsonl.gz"),
		Flags:       []cli.Flag{projectFlag(), all, jsonFlag()}, Action: p.export,
	}
}

// exported is what an export reports.
type exported struct {
	File    string `json:"file,omitempty"`
	Project string `json:"project,omitempty"`
	importer.ExportCounts
}

// export writes to standard output if no file is named, and then reports nothing
// there.
func (p *program) export(c *cli.Context) error {
	if c.Args().Len() > 1 {
		return usagef("export to which file? name one")
	}
	if c.Bool("all") && c.String("project") != "" {
		return usagef("export either one --project or --all")
	}
	report := exported{File: c.Args().First()}
	if !c.Bool("all") {
		where, err := p.project(c)
		if err != nil {
			return err
		}
		report.Project = where.Key
	}
	if report.File == "" || report.File == "-" {
		_, err := p.exportTo(c, p.out, report.Project)
		return err
	}
	var err error
	if report.ExportCounts, err = p.exportToFile(c, report.File, report.Project); err != nil {
		return err
	}
	return p.print(c, report, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "exported %s, %s, %s to %s\n", counted(report.Memories, "memory"), counted(report.Prompts, "prompt"), counted(report.Sessions, "session"), printable(report.File))
		note(w, report.Redacted, "row", "redacted now")
	})
}

// exportToFile makes a whole export or none. Only the user may read it.
func (p *program) exportToFile(c *cli.Context, file, project string) (importer.ExportCounts, error) {
	var counts importer.ExportCounts
	err := atomicfile.Fill(file, 0o600, func(w io.Writer) error {
		var err error
		counts, err = p.exportTo(c, w, project)
		return err
	})
	if err != nil {
		return counts, fmt.Errorf("export to %s: %w", file, err)
	}
	return counts, nil
}

func (p *program) exportTo(c *cli.Context, w io.Writer, project string) (importer.ExportCounts, error) {
	if _, err := p.startAgent(c.Context); err != nil {
		return importer.ExportCounts{}, err
	}
	encoder, err := importer.NewEncoder(w, project, p.now())
	if err != nil {
		return importer.ExportCounts{}, err
	}
	bar := p.bar(-1, "export")
	defer func() { _ = bar.Close() }()
	for _, section := range memory.Sections() {
		query := memory.ExportQuery{Section: section, Project: project}
		for {
			var page memory.ExportPage
			if err := p.callWithin(c.Context, longTime, agentapi.MethodExport, query, &page); err != nil {
				return encoder.Counts(), err
			}
			if err := encoder.Page(page); err != nil {
				return encoder.Counts(), err
			}
			_ = bar.Add(memory.ExportLimit)
			if query.After = page.Next; query.After == "" {
				break
			}
		}
	}
	return encoder.Counts(), nil
}
