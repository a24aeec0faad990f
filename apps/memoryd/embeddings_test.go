package main

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
)

// Embeddings are off by default, and unusable settings leave them off with a
// message.
func TestMeaningIsOffUnlessItCanBeHad(t *testing.T) {
	local := config.Default().Embeddings
	local.URL, local.Model = "http://localhost:1/v1", "small"
	nameless := local
	nameless.Model = ""
	for name, c := range map[string]struct {
		settings config.Embeddings
		isOn     bool
		says     string
	}{
		"default":          {config.Default().Embeddings, false, ""},
		"a local endpoint": {local, true, ""},
		"without a model":  {nameless, false, "name the model"},
	} {
		var log strings.Builder
		embedder, vectors := embeddings(c.settings, nil, slog.New(slog.NewTextHandler(&log, nil)))
		if (embedder != nil) != c.isOn || (vectors != nil) != c.isOn || !strings.Contains(log.String(), c.says) {
			t.Errorf("%s: %v, %v; logged %q", name, embedder, vectors, log.String())
		}
	}
}
