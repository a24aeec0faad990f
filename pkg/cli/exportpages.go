package cli

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

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
