package cli

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

type exportReport struct {
	File    string `json:"file,omitempty"`
	Project string `json:"project,omitempty"`
	importer.ExportCounts
}

// exportOptions select the memories to export, and where to.
type exportOptions struct {
	file     string // path; empty or - for standard output
	all      bool   // every project, and the user's own memories
	markdown string // folder for Markdown files; empty for none
}

func exportOptionsOf(c *cli.Context) (exportOptions, error) {
	o := exportOptions{c.Args().First(), c.Bool("all"), c.String("markdown")}
	switch {
	case c.Args().Len() > 1:
		return o, usagef("export to which file? name one FILE")
	case o.file != "" && o.markdown != "":
		return o, usagef("export either to a FILE or to a folder with --markdown")
	case o.all && c.IsSet("project"):
		return o, usagef("export either one --project or --all")
	}
	return o, nil
}

// exportPages reads the given sections by a query page by page, and calls take with each page.
func exportPages(ctx context.Context, e *environment, query memory.ExportQuery, sections []memory.Section, take func(memory.ExportPage) error) error {
	if _, err := e.Daemon.Start(ctx); err != nil {
		return err
	}
	bar := e.Bar(-1, "export")
	defer bar.Close()
	for _, section := range sections {
		for query.Section = section; ; {
			var page memory.ExportPage
			if err := e.Daemon.CallWithin(ctx, longTime, daemonapi.MethodExport.Call(query, &page)); err != nil {
				return err
			}
			if err := take(page); err != nil {
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
