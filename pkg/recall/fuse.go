package recall

import "slices"

// Near is a memory whose meaning is near that of a query, as something else than
// its words found out.
type Near struct {
	ID         string
	Similarity float64 // cosine, -1 to 1
}

// fusion is the constant of reciprocal rank fusion: how soon places stop to matter
// (Cormack, Clarke and Büttcher, SIGIR 2009, who found 60).
const fusion = 60

// fuse ranks anew by the sum of 1/(fusion + place) over the two rankings, that by
// words and that by meaning. What the query's words alone would not answer is
// answered by what is near. The floor of scores is applied before: places have none.
func (r *ranking) fuse(best []scored, v verdict) ([]scored, verdict) {
	if len(r.q.Near) == 0 {
		return best, v
	}
	if !v.answers {
		best = best[:0]
	}
	floor := 0.0
	if len(best) > 0 {
		floor = r.w.Floor * best[0].score
	}
	fused := make([]scored, 0, len(best)+len(r.q.Near))
	places := map[uint32]int{}
	for i := range best {
		if best[i].score < floor {
			break // sorted
		}
		slot := best[i].slot
		places[slot] = len(fused)
		fused = append(fused, scored{candidate: candidate{slot: slot}, byWords: 1 / float64(fusion+i+1)})
	}
	place := 0
	for _, near := range r.q.Near {
		slot, known := r.index.slots[near.ID]
		if !known || !r.wants(slot) {
			continue
		}
		place++
		at, in := places[slot]
		if !in {
			at = len(fused)
			places[slot] = at
			fused = append(fused, scored{candidate: candidate{slot: slot}})
		}
		fused[at].byMeaning = 1 / float64(fusion+place)
	}
	for i := range fused {
		s := &fused[i]
		s.factor = 1
		s.sum()
	}
	r.fused = true
	v.answers = len(fused) > 0
	slices.SortFunc(fused, r.compare)
	return fused, v
}
