package briefing

import (
	"context"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// Embedder makes vectors of length 1 of texts.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// embeddings holds the vectors of the projects whose indexes are loaded.
type embeddings struct {
	running sync.Mutex // held while memories are embedded

	mu       sync.Mutex
	prepared bool
	sets     map[string]*recall.Vectors
	paused   time.Time // until then the endpoint is left alone
}

// set returns the vectors of a project, or nil if they are not loaded or not to be
// used now.
func (e *embeddings) set(project string, now time.Time) *recall.Vectors {
	e.mu.Lock()
	defer e.mu.Unlock()
	if now.Before(e.paused) {
		return nil
	}
	return e.sets[project]
}

// keep drops the vectors of projects that are not loaded any more.
func (e *embeddings) keep(loaded map[string]*projectIndex) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for project := range e.sets {
		if loaded[project] == nil {
			delete(e.sets, project)
		}
	}
}
