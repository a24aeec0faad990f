package database

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
)

// InstallEngine installs the embedded engine if it is missing. It does nothing if the store is on a server.
func InstallEngine(ctx context.Context, layout paths.Layout, cfg config.Config, progress io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	options, err := engine.OfHome(layout, cfg.Store)
	if err != nil {
		return err
	}
	options.Output = progress
	choice, err := engine.Find(ctx, options)
	if errors.Is(err, engine.ErrNotInstalled) {
		_, _ = fmt.Fprintf(progress, "installing the database engine (to download once: %s)\n", engine.DownloadSize)
		if err := engine.Install(ctx, options); err != nil {
			return err
		}
		choice, err = engine.Find(ctx, options)
	}
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(progress, "engine: %s\n", choice)
	return nil
}
