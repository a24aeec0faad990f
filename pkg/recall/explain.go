package recall

import (
	"fmt"
)

// Explanation says how one memory fared under one query.
type Explanation struct {
	// Rank is the position among the hits, from 1; 0 if the memory is no hit, and then
	// Reason says why.
	Rank   int    `json:"rank"`
	Reason string `json:"reason,omitempty"`
	// Score compares memories under one query only, and Why lists its parts. Both are
	// empty if neither the memory nor its neighbours share anything with the query.
	Score float64 `json:"score"`
	Why   []Part  `json:"why,omitempty"`
	// Silent says that the query got no answer.
	Silent bool `json:"silent"`
	// Best is the highest surprise of the best memories, Chance the threshold for an
	// unasked query. Both are 0 if another rule decided.
	Best   float64 `json:"best,omitempty"`
	Chance float64 `json:"chance,omitempty"`
}

// Explain tells whether and why Recall answers a query with a memory.
func (x *Index) Explain(q Query, id string) Explanation {
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	e := Explanation{Silent: true, Reason: "no memory is indexed"}
	x.ask(q, func(r *ranking) { e = r.explain(id) })
	if !q.Unasked {
		return e
	}
	q.Explain = true
	for i, hit := range x.Rules(q) {
		if hit.Memory.ID == id && i < x.weights.RuleLines {
			e.Rank, e.Reason, e.Silent, e.Score, e.Why = i+1, "", false, hit.Score, hit.Why
		}
	}
	return e
}

func (r *ranking) explain(id string) Explanation {
	best, v := r.judged()
	e := Explanation{Silent: !v.answers, Best: v.best, Chance: v.chance}
	slot, known := r.index.slots[id]
	if !known {
		e.Reason = "it is not in the index, which holds what is active of the project and the user, without edits, commands and other tools' doings"
		return e
	}
	found := false
	r.arrange(r.succeed(best), func(s *scoredCandidate, place int, o omission) bool {
		if s.slot != slot {
			return true
		}
		found = true
		e.Score, e.Why = s.score, r.why(s, &r.index.docs[slot])
		switch {
		case e.Silent:
			e.Reason = r.silence(v)
		case place > 0:
			e.Rank = place
		default:
			e.Reason = r.omitted(o)
		}
		return false
	})
	if !found {
		e.Reason = r.missing(slot, v)
	}
	return e
}

// missing says why a memory is not among the best candidates.
func (r *ranking) missing(slot uint32, v verdict) string {
	m := &r.index.docs[slot].entry.Memory
	switch {
	case r.index.links[slot].factor <= 0:
		return fmt.Sprintf("memories of the scope %s and the status %s are not recalled", m.Scope, m.Status)
	case !r.wants(slot):
		return fmt.Sprintf("it is a %s, which was not asked for", m.Kind)
	case v.byEmbedding:
		return "the words alone are no answer, and its embedding is not near enough to that of the query"
	case r.places[slot] == 0:
		return "neither it nor the memories around it have anything of the query"
	case r.hasOnlyAround(slot):
		return "only the memories around it have something of the query"
	default:
		return fmt.Sprintf("at least %d others have more of the query", min(len(r.candidates)-1, max(mostRefined, 2*r.q.Limit)))
	}
}

func (r *ranking) hasOnlyAround(slot uint32) bool {
	c := &r.candidates[r.places[slot]-1]
	return c.own+c.exact == 0 && !c.inside
}

// silence says why a query gets no answer.
func (r *ranking) silence(v verdict) string {
	switch {
	case !r.q.Unasked:
		return "no memory has a word of the query"
	case r.q.Text != "" && r.topics <= 1:
		return "the query has too few words that say what it is about"
	case v.chance == 0:
		return "no memory matches exactly"
	default:
		return fmt.Sprintf("silent: best %.1f, chance %.1f", v.best, v.chance)
	}
}

// omitted says why a candidate of an answered query is no hit.
func (r *ranking) omitted(o omission) string {
	switch {
	case o.superseded:
		return "a newer memory supersedes it, and nobody asked for it"
	case o.saidBy != nil:
		return fmt.Sprintf("memory %s says the same and is shown", o.saidBy.Memory.ID)
	case o.belowFloor:
		return fmt.Sprintf("it scores less than %.0f %% of the best", 100*r.w.Floor)
	default:
		return fmt.Sprintf("%d others fit better, and no more were asked for", r.q.Limit)
	}
}
