package recall

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Query is what to find memories for. At least one of Text, Files, Command and
// Signature says something, or nothing is found.
type Query struct {
	Text    string
	Session string    // the one that asks; empty if unknown
	Now     time.Time // what "yesterday" is relative to
	// Files, Command and Signature are what the model is about to touch, run or
	// has just met, in the form in which entries carry them.
	Files     []string
	Command   string
	Signature string
	// NewFiles says that Files are about to be made: what is known of their folder is
	// about them.
	NewFiles bool
	Kinds    []memory.Kind // only these; all if empty
	Near     []Near        // what else found, the best first; ranked together with what the words find
	Limit    int           // 0 means 10
	// Unasked says that nobody asked for an answer, so that there is one only where
	// the best hit is better than chance would make it (Index.Calibrate).
	Unasked bool
	// Task says that Text is what an assistant asks of a subagent: nobody typed it, and it
	// goes on with nothing.
	Task bool
	// ByScore leaves what is only reported at the place that its score gives it, for those
	// who choose of the hits themselves.
	ByScore bool
	Explain bool // fill Hit.Why
}

// DefaultLimit is how many hits a query gets that names no limit.
const DefaultLimit = 10

// Hit is a memory that fits. Scores only compare hits of one query.
type Hit struct {
	Memory memory.Memory `json:"memory"`
	Score  float64       `json:"score"`
	Why    []Part        `json:"why,omitempty"`
}

// Part is one reason of a score. The parts named "x ..." multiply the sum of the
// others.
type Part struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Recall ranks the memories that fit a query, the best first. It returns nothing
// when nothing fits well enough. Its cost follows what the query's words have in
// common with the memories, and is bounded by Weights.MaxPostings.
func (x *Index) Recall(q Query) []Hit {
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	var hits []Hit
	x.ask(q, func(r *ranking) { hits = r.hits() })
	return hits
}

// ask has the work for a query done, if there is a memory at all.
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
