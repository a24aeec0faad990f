package main

import (
	"log/slog"
	"os"
	"strconv"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/briefing"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/models"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// answersDistill makes a function that writes the answer that the user gave in the client's dialog into the settings.
func answersDistill(layout paths.Layout) func(answer string) error {
	return func(answer string) error {
		on, err := strconv.ParseBool(answer)
		if err != nil {
			return nil //nolint:nilerr // it is no answer
		}
		return config.AnswerDistill(layout.ConfigFile(), layout.DistillAnswer(), on)
	}
}

// distills makes a function that reads the settings of distillation and makes the client of the model that they name. It is called
// before each use, so that whom the settings name is whom the words go to.
func distills(layout paths.Layout, getenv func(string) string, log *slog.Logger) func() (config.Distill, distill.Model) {
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

// model makes a client of a model to distil sessions, as soon as that is switched on.
// Where the settings cannot be used there is none.
func model(cfg config.Distill, layout paths.Layout, log *slog.Logger) distill.Model {
	key := os.Getenv(config.DistillKey)
	if cfg.Runner == config.DistillClaude {
		return models.Claude{Command: cfg.Command, Model: cfg.Model, Key: key, URL: cfg.URL, Dir: layout.Run(), Environ: os.Environ()}
	}
	endpoint, err := models.NewEndpoint(cfg.URL, cfg.Model, key)
	if err != nil && cfg.Enabled {
		log.Error("sessions are not distilled", "error", err)
	}
	if err != nil {
		return nil
	}
	return endpoint
}

// embeddings makes the client and the store of the vectors, if they are switched on. Settings
// that cannot be used only leave it off.
func embeddings(cfg config.Embeddings, conn *wire.Conn, log *slog.Logger) (briefing.Embedder, memory.VectorStore) {
	if cfg.URL == "" {
		return nil, nil
	}
	client, err := models.NewEmbedder(cfg.URL, cfg.Model, cfg.Dimension, os.Getenv(config.EmbeddingsKey))
	if err != nil {
		log.Error("memories are found by their words alone", "error", err)
		return nil, nil
	}
	return client, surreal.NewVectors(conn, cfg.Model, cfg.Dimension)
}
