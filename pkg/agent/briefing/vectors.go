package briefing

import (
	"context"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// Embedder makes vectors of length 1 from texts.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// embeddings holds the vectors of the projects whose indexes are loaded.
type embeddings struct {
	running sync.Mutex // held while memories are embedded

	mu       sync.Mutex
	prepared bool
	sets     map[string]*recall.Vectors
	paused   time.Time // the endpoint is not asked before this time
}

// set returns the vectors of a project, or nil if they are not loaded or embedding is
// paused.
func (e *embeddings) set(project string, now time.Time) *recall.Vectors {
	e.mu.Lock()
	defer e.mu.Unlock()
	if now.Before(e.paused) {
		return nil
	}
	return e.sets[project]
}

// keep drops the vectors of projects that are no longer loaded.
func (e *embeddings) keep(loaded map[string]*projectIndex) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for project := range e.sets {
		if loaded[project] == nil {
			delete(e.sets, project)
		}
	}
}
