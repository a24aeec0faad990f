package memory

import (
	"cmp"
	"context"
)

// VectorStore stores a model's vector for each memory and finds those near another. Vectors
// can be computed again: archives leave them out, and they are deleted when their memory is
// deleted or forgotten.
type VectorStore interface {
	// Prepare makes the store usable; repeating it changes nothing.
	Prepare(ctx context.Context) error
	// PutVectors stores vectors of length 1. It skips those without a memory, and those
	// that exist.
	PutVectors(ctx context.Context, vectors []Vector) error
	// Vectors returns the vectors of a project and of the user, in any order.
	Vectors(ctx context.Context, project string) ([]Vector, error)
}

// Vector is a model's embedding of a memory's text.
type Vector struct {
	Memory string // id
	Values []float32
}

// Near is a memory near a vector.
type Near struct {
	Memory     string // id
	Similarity float64
}

// CompareNear orders by similarity, the nearest first, and then by id.
func CompareNear(a, b Near) int {
	return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Memory, b.Memory))
}
