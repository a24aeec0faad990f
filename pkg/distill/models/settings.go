package models

import (
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// Distillation returns a function that reads the settings of distillation and returns them with their model. Call the
// function before each use, so that changed settings take effect at once and text never goes to a previous receiver.
func Distillation(layout paths.Layout, getenv func(string) string) func() (config.Distill, distill.Model) {
	return func() (config.Distill, distill.Model) {
		all, _ := config.Load(layout.ConfigFile(), getenv)
		cfg, key := all.Distill, os.Getenv(config.DistillKey)
		if cfg.Runner == config.DistillClaude {
			return cfg, Claude{Command: cfg.Command, Model: cfg.Model, Key: key, URL: cfg.URL, Dir: layout.Run(), Environ: os.Environ()}
		}
		return cfg, Endpoint{URL: cfg.URL, Model: cfg.Model, Key: key}
	}
}
