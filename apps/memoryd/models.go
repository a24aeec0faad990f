package main

import (
	"log/slog"
	"os"
	"strconv"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/briefing"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill/runner"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/embed"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// distills makes a function that takes over the user's decision whether sessions are
// distilled, while the agent runs.
func distills(layout paths.Layout, getenv func(string) string) func(answer string) (bool, error) {
	return func(answer string) (bool, error) {
		if on, err := strconv.ParseBool(answer); err == nil {
			if err := config.AnswerDistill(layout.ConfigFile(), layout.DistillAnswer(), on); err != nil {
				return false, err
			}
		}
		cfg, _ := config.Load(layout.ConfigFile(), getenv)
		return cfg.Distill.Enabled, nil
	}
}

// model makes a client of a model to distil sessions, as soon as that is switched on.
// Where the settings cannot be used there is none.
func model(cfg config.Distill, layout paths.Layout, log *slog.Logger) distill.Model {
	key := os.Getenv(config.DistillKey)
	if cfg.Runner == config.DistillClaude {
		return runner.Claude{Command: cfg.Command, Model: cfg.Model, Key: key, URL: cfg.URL, Dir: layout.Run(), Environ: os.Environ()}
	}
	endpoint, err := runner.NewEndpoint(cfg.URL, cfg.Model, key)
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
	client, err := embed.New(cfg.URL, cfg.Model, cfg.Dimension, os.Getenv(config.EmbeddingsKey))
	if err != nil {
		log.Error("memories are found by their words alone", "error", err)
		return nil, nil
	}
	return client, surreal.NewVectors(conn, cfg.Model, cfg.Dimension)
}
