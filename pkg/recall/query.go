// Package recall ranks memories for a query, in an index of its own. It is pure: rows come
// in, hits go out. It refuses to read a store or a clock.
package recall

import (
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

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

// Near is a memory whose embedding is near the query's.
type Near struct {
	ID string
	// Share is the nearness from 0 (at the threshold) to 1 (the same). It does not
	// depend on the range of a model's cosines.
	Share float64
}

// Query describes the memories to find. At least one of Text, Files, Command and
// Signature must be set, or nothing is found.
type Query struct {
	Text string
	Now  time.Time // the time that "yesterday" is relative to
	// Files, Command and Signature are the files, the command and the error that the
	// model is about to meet, or has just met, in the form of Entry's fields.
	Files     []string
	Command   string
	Chain     []string // the commands that it chains, if it has several
	Signature string
	// NewFiles says that Files are about to be created: memories about their folder
	// count as about them.
	NewFiles bool
	Kinds    []memory.Kind // only these; all if empty
	Near     []Near        // memories found by embedding, the best first; ranked together with those found by words
	Limit    int           // 0 means 10
	// Unasked says that the query is automatic. It is answered only if the best hit is
	// better than chance (Index.Calibrate).
	Unasked bool
	// Task says that Text is an assistant's task for a subagent: it was not typed, and it
	// replies to no message.
	Task bool
	// ByScore ranks memories that are only reported by their score alone, for callers
	// that choose among the hits themselves.
	ByScore bool
	Explain bool // fill Hit.Why
}

// Runs says whether the query is about a command, alone or in a chain.
func (q Query) Runs(command string) bool {
	return command != "" && (command == q.Command || slices.Contains(q.Chain, command))
}

// DefaultLimit is the number of hits if a query sets no limit.
const DefaultLimit = 10

// Hit is a memory found. Scores compare hits of one query only.
type Hit struct {
	Memory memory.Memory `json:"memory"`
	Score  float64       `json:"score"`
	Why    []Part        `json:"why,omitempty"`
	// Share is how much of the query's topic the memory has in words of its own, 0 to 1, a rare word counting for more.
	// A path, command or day that the query names counts as all of it.
	Share float64 `json:"-"`
}

// SynonymShare is the Share of a memory that has synonyms of the query's topic words, and none of these.
const SynonymShare = 0.01

// Part is one part of a score. Parts named "x ..." multiply the sum of the others.
type Part struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}
