package memory

import (
	"cmp"
	"context"
)

// VectorStore keeps a vector for each memory, of one model, and finds those near another.
// Vectors can be computed again: they are in no archive, and are deleted with their
// memory or when it is forgotten.
type VectorStore interface {
	// Prepare makes it usable; doing it again changes nothing.
	Prepare(ctx context.Context) error
	// PutVectors keeps vectors of length 1. One whose memory is not there, or that
	// is there already, is left out.
	PutVectors(ctx context.Context, vectors []Vector) error
	// Vectors returns those of a project and of the user, in any order.
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

// CompareNear orders by similarity, the nearest first, and equally near ones by id.
func CompareNear(a, b Near) int {
	return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Memory, b.Memory))
}
