package recall

import (
	"slices"
	"strings"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Near is a memory whose embedding is near the query's.
type Near struct {
	ID string
	// Share is the nearness from 0 (at the threshold) to 1 (the same). It does not
	// depend on the range of a model's cosines.
	Share float64
}

// NearAtLeast turns cosines into shares; least is the threshold, which becomes 0.
func NearAtLeast(least float64, found []memory.Near) []Near {
	near := make([]Near, 0, len(found))
	for _, one := range found {
		if one.Similarity >= least && least < 1 {
			near = append(near, Near{one.Memory, min((one.Similarity-least)/(1-least), 1)})
		}
	}
	return near
}

// leastWords is the number of words from which a text is embedded: "ok" is near to many
// texts.
const leastWords = 2

// WorthEmbedding reports whether a text is long enough to be embedded and compared.
func WorthEmbedding(text string) bool { return len(strings.Fields(text)) >= leastWords }

// NearLimit bounds the memories ranked by embedding.
const NearLimit = 200

// Vectors holds the vectors of memories by one model, contiguously. The zero value is
// empty; it is safe for concurrent use.
type Vectors struct {
	mu     sync.RWMutex
	known  map[string]bool
	ids    []string
	values []float32
}

// Add stores vectors of length 1. It skips memories that already have one.
func (s *Vectors) Add(vectors []memory.Vector) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[string]bool{}
	}
	for _, v := range vectors {
		if !s.known[v.Memory] {
			s.known[v.Memory] = true
			s.ids = append(s.ids, v.Memory)
			s.values = append(s.values, v.Values...)
		}
	}
}

// Has reports whether a memory has a vector.
func (s *Vectors) Has(id string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.known[id]
}

// Len is the number of vectors.
func (s *Vectors) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.ids)
}

// Near returns at most NearLimit memories whose cosine is not below least, the nearest
// first; none if the query is of another model. It compares with every vector: ten
// thousand take some milliseconds, and an approximate index would need a query over a
// socket (docs/adr/0007).
func (s *Vectors) Near(query []float32, least float64) []memory.Near {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(query)*len(s.ids) != len(s.values) {
		return nil
	}
	var found []memory.Near
	for i, id := range s.ids {
		if similarity := float64(dot(query, s.values[i*len(query):(i+1)*len(query)])); similarity >= least {
			found = append(found, memory.Near{Memory: id, Similarity: similarity})
		}
	}
	slices.SortFunc(found, memory.CompareNear)
	return found[:min(len(found), NearLimit)]
}

// dot adds in four lanes, which the processor runs in parallel.
func dot(a, b []float32) float32 {
	var x, y, z, w float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x += a[i] * b[i]
		y += a[i+1] * b[i+1]
		z += a[i+2] * b[i+2]
		w += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		x += a[i] * b[i]
	}
	return x + y + z + w
}
