package models

import (
	"log/slog"
	"os"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// Distillation returns a function that reads the settings of distillation and returns them with their model, nil if
// the settings are invalid. Call the function before each use, so that changed settings take effect at once and text
// never goes to a previous receiver.
func Distillation(layout paths.Layout, getenv func(string) string, log *slog.Logger) func() (config.Distill, distill.Model) {
	var (
		mu      sync.Mutex
		last    config.Distill
		current distill.Model
		read    bool
	)
	return func() (config.Distill, distill.Model) {
		cfg, _ := config.Load(layout.ConfigFile(), getenv)
		mu.Lock()
		defer mu.Unlock()
		if !read || cfg.Distill != last {
			read, last, current = true, cfg.Distill, model(cfg.Distill, layout, log)
		}
		return last, current
	}
}

// model returns the configured model, or nil if the settings are invalid.
func model(cfg config.Distill, layout paths.Layout, log *slog.Logger) distill.Model {
	key := os.Getenv(config.DistillKey)
	if cfg.Runner == config.DistillClaude {
		return Claude{Command: cfg.Command, Model: cfg.Model, Key: key, URL: cfg.URL, Dir: layout.Run(), Environ: os.Environ()}
	}
	endpoint, err := NewEndpoint(cfg.URL, cfg.Model, key)
	if err != nil && cfg.Enabled {
		log.Error("sessions are not distilled", "error", err)
	}
	if err != nil {
		return nil
	}
	return endpoint
}
