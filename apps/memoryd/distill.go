package main

import (
	"log/slog"
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill/runner"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// model makes what asks a model to distil sessions, if that is switched on. Settings
// that cannot be used leave it off.
func model(cfg config.Distill, layout paths.Layout, log *slog.Logger) distill.Model {
	if !cfg.Enabled {
		return nil
	}
	key := ""
	if cfg.KeyVariable != "" {
		key = os.Getenv(cfg.KeyVariable)
	}
	if cfg.Runner == config.DistillClaude {
		return runner.Claude{Command: cfg.Command, Model: cfg.Model, Key: key, URL: cfg.URL, Dir: layout.Run(), Environ: os.Environ()}
	}
	endpoint, err := runner.NewEndpoint(cfg.URL, cfg.Model, key)
	if err != nil {
		log.Error("sessions are not distilled", "error", err)
		return nil
	}
	return endpoint
}
