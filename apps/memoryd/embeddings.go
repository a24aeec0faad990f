package main

import (
	"log/slog"
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/briefing"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/embed"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// embeddings makes the client and the store of the vectors, if they are switched on. Settings
// that cannot be used only leave it off.
func embeddings(cfg config.Embeddings, conn *wire.Conn, log *slog.Logger) (briefing.Embedder, memory.VectorStore) {
	if cfg.URL == "" {
		return nil, nil
	}
	key := os.Getenv(config.EmbeddingsKey)
	client, err := embed.New(cfg.URL, cfg.Model, cfg.Dimension, key)
	if err != nil {
		log.Error("memories are found by their words alone", "error", err)
		return nil, nil
	}
	return client, surreal.NewVectors(conn, cfg.Model, cfg.Dimension)
}
