package database

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
)

// CheckEngine prints the engine and data that a daemon would use, as JSON for memory doctor, which does not link the engine.
func CheckEngine(ctx context.Context, layout paths.Layout, cfg config.Config, out io.Writer) error {
	options, err := engine.OfHome(layout, cfg.Store)
	if err != nil {
		return err
	}
	choice, err := engine.Find(ctx, options)
	result := daemonapi.CheckedEngine{Path: choice.Path, Name: choice.String(), Packages: options.Packages}
	if err != nil {
		result.Problem = err.Error()
	}
	result.Installable = errors.Is(err, engine.ErrNotInstalled)
	return json.NewEncoder(out).Encode(result)
}

// RemoveEngine uninstalls the embedded engine.
func RemoveEngine(ctx context.Context, layout paths.Layout, cfg config.Config, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	dir := cmp.Or(cfg.Store.EnginePath, layout.Engine())
	size, err := engine.Uninstall(ctx, engine.Options{Packages: dir})
	if err != nil {
		return err
	}
	if size == 0 {
		_, _ = fmt.Fprintf(out, "the embedded engine is not installed in %s\n", dir)
		return nil
	}
	_, _ = fmt.Fprintf(out, "removed %s: %d MB\n", dir, size>>20)
	return nil
}

// InstallEngine installs the embedded engine if it is missing. It does nothing if the store is on a server.
func InstallEngine(ctx context.Context, layout paths.Layout, cfg config.Config, progress io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	options, err := engine.OfHome(layout, cfg.Store)
	if err != nil {
		return err
	}
	choice, err := engine.Find(ctx, options)
	if errors.Is(err, engine.ErrNotInstalled) {
		_, _ = fmt.Fprintf(progress, "installing the database engine: downloading %s, once\n", engine.DownloadSize(ctx, options))
		if err := engine.Install(ctx, options, progress); err != nil {
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
