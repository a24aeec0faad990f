package recall

import (
	"slices"
	"strings"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

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

const (
	// leastTopics is the number of topic words that a query needs to be answered by
	// embeddings alone: small talk is near to many memories.
	leastTopics = 2
	// afterQuestion is added to Weights.Previous where the memory before is a question:
	// a near question is as good a sign for its answer.
	afterQuestion = 1
)

// fuse adds the nearness of the embeddings of a memory and its neighbours to the word
// scores, and ranks again. A query that its words leave unanswered can be answered by
// near memories. It adds scores and not ranks, because a rank does not say how near the
// nearest is (docs/adr/0009).
func (r *ranking) fuse(best []scoredCandidate, answers bool) ([]scoredCandidate, bool) {
	shares := r.nearShares()
	if len(shares) == 0 || !answers && r.topics < leastTopics {
		return best, answers
	}
	most := 0.0
	for i := range best {
		most = max(most, best[i].base)
	}
	if most == 0 {
		most = 1 // no word score to compare with
	}
	if !answers {
		best = slices.DeleteFunc(best, func(s scoredCandidate) bool { _, is := shares[s.slot]; return !is })
	}
	best = r.admitNear(best, shares)
	for i := range best {
		s := &best[i]
		s.embedding = r.w.Embedding * most * r.embedding(s.slot, shares)
		s.sum()
	}
	slices.SortFunc(best, r.compare)
	return best, true
}

// nearShares is the nearness of the near memories that may be hits.
func (r *ranking) nearShares() map[uint32]float64 {
	shares := make(map[uint32]float64, len(r.q.Near))
	for _, near := range r.q.Near {
		if slot, known := r.index.slots[near.ID]; known && r.wants(slot) {
			shares[slot] = near.Share
		}
	}
	return shares
}

// admitNear adds near memories that are not candidates by their words.
func (r *ranking) admitNear(best []scoredCandidate, shares map[uint32]float64) []scoredCandidate {
	among := make(map[uint32]bool, len(best))
	for i := range best {
		among[best[i].slot] = true
	}
	for _, near := range r.q.Near {
		slot, known := r.index.slots[near.ID]
		if _, is := shares[slot]; known && is && !among[slot] {
			among[slot] = true
			s := scoredCandidate{candidate: candidate{slot: slot}}
			r.weigh(&s)
			best = append(best, s)
		}
	}
	return best
}

// embedding is the nearness of a memory and of two neighbours on each side, weighted
// like their words.
func (r *ranking) embedding(slot uint32, shares map[uint32]float64) float64 {
	links := r.index.links
	sum := shares[slot]
	for s, i := links[slot].next, 0; s != none && i < around; s, i = links[s].next, i+1 {
		sum += r.w.Next * shares[s]
	}
	for s, i := links[slot].previous, 0; s != none && i < around; s, i = links[s].previous, i+1 {
		sum += r.w.Previous * shares[s]
		if i == 0 && links[s].asks {
			sum += afterQuestion * shares[s]
		}
	}
	return sum
}

// leastWords is the number of words from which a text is embedded: "ok" is near to many
// texts.
const leastWords = 2

// WorthEmbedding tells whether a text is long enough to be embedded and compared.
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

// Has tells whether a memory has a vector.
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
