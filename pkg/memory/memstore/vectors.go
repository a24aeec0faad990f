package memstore

import (
	"context"
	"slices"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Vectors is the memory.VectorStore beside a Store.
type Vectors struct {
	store *Store

	mu   sync.Mutex
	held map[string][]float32 // by memory
}

// NewVectors returns an empty store for the vectors of a store's memories.
func NewVectors(store *Store) *Vectors { return &Vectors{store: store, held: map[string][]float32{}} }

// Prepare implements memory.VectorStore.
func (*Vectors) Prepare(context.Context) error { return nil }

// PutVectors implements memory.VectorStore.
func (v *Vectors) PutVectors(ctx context.Context, vectors []memory.Vector) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, one := range vectors {
		if _, known := v.held[one.Memory]; !known && v.of(ctx, one.Memory, nil) {
			v.held[one.Memory] = slices.Clone(one.Values)
		}
	}
	return nil
}

// of reports whether a memory exists with its text and, if a project is given, belongs to
// it or to the user.
func (v *Vectors) of(ctx context.Context, id string, project *string) bool {
	m, err := memory.Find(ctx, v.store, id)
	return err == nil && m.Status != memory.StatusForgotten && (project == nil || m.Project == *project || m.Project == "")
}

// Vectors implements memory.VectorStore.
func (v *Vectors) Vectors(ctx context.Context, project string) ([]memory.Vector, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	vectors := []memory.Vector{}
	for id, values := range v.held {
		if v.of(ctx, id, &project) {
			vectors = append(vectors, memory.Vector{Memory: id, Values: slices.Clone(values)})
		}
	}
	return vectors, nil
}
