package recall

import (
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Near is a memory whose embedding is near that of a query, as something else than
// its words found out.
type Near struct {
	ID string
	// Share is how near, from 0, just near enough, to 1, the same: it does not
	// depend on what a model's cosines are like.
	Share float64
}

// NearAtLeast makes shares of cosines, of which least is the one that is just near
// enough.
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
	// leastTopics is how many words a query must have that say what it is about, so
	// that what is near it alone is an answer: small talk is near to much.
	leastTopics = 2
	// afterQuestion is added to Weights.Previous where the memory before asks: that a
	// question is near says as much of what answers it.
	afterQuestion = 1
)

// fuse adds to the words' scores how near a memory and those around it are by their
// embeddings, and ranks again. What the query's words alone would not answer is answered
// by what is near. Scores are added and not places, because a place says nothing of
// how near the nearest is (docs/adr/0009).
func (r *ranking) fuse(best []scored, v verdict) ([]scored, verdict) {
	shares := r.nearShares()
	if len(shares) == 0 || !v.answers && r.topics < leastTopics {
		return best, v
	}
	most := 0.0
	for i := range best {
		most = max(most, best[i].base)
	}
	if most == 0 {
		most = 1 // nothing to compare with
	}
	if !v.answers {
		v.answers, v.byEmbedding = true, true
		best = slices.DeleteFunc(best, func(s scored) bool { _, is := shares[s.slot]; return !is })
	}
	best = r.admitNear(best, shares)
	for i := range best {
		s := &best[i]
		s.embedding = r.w.Embedding * most * r.embedding(s.slot, shares)
		s.sum()
	}
	slices.SortFunc(best, r.compare)
	return best, v
}

// nearShares is how near the memories are that may be hits.
func (r *ranking) nearShares() map[uint32]float64 {
	shares := make(map[uint32]float64, len(r.q.Near))
	for _, near := range r.q.Near {
		if slot, known := r.index.slots[near.ID]; known && r.wants(slot) {
			shares[slot] = near.Share
		}
	}
	return shares
}

// admitNear makes candidates of what is near and is none by its words.
func (r *ranking) admitNear(best []scored, shares map[uint32]float64) []scored {
	among := make(map[uint32]bool, len(best))
	for i := range best {
		among[best[i].slot] = true
	}
	for _, near := range r.q.Near {
		slot, known := r.index.slots[near.ID]
		if _, is := shares[slot]; known && is && !among[slot] {
			among[slot] = true
			s := scored{candidate: candidate{slot: slot}}
			r.weigh(&s)
			best = append(best, s)
		}
	}
	return best
}

// embedding is how near the vector of a memory is, together with two on each side, which count as
// their words do.
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
