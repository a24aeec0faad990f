// Package recall ranks memories for a query, in an index of its own. It is pure: rows come
// in, hits go out. It refuses to read a store or a clock.
package recall

// Recall ranks the memories that match a query, the best first. It returns nothing when
// nothing matches well enough. Its cost grows with the postings of the query's words,
// and is bounded by Weights.MaxPostings.
func (x *Index) Recall(q Query) []Hit {
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	var hits []Hit
	x.ask(q, func(r *ranking) { hits = r.hits() })
	return hits
}

// ask runs work on a query, if the index has memories.
func (x *Index) ask(q Query, work func(r *ranking)) {
	asked := ask(q, &x.weights)
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.slots) == 0 {
		return
	}
	s := x.borrowScratch()
	defer x.scratch.Put(s)
	defer s.reset()
	now := q.Now
	if x.newest.Before(now) {
		now = x.newest
	}
	work(&ranking{index: x, w: &x.weights, q: &q, asked: asked, now: now, scratch: s})
}
