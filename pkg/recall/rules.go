package recall

import (
	"cmp"
	"math"
	"path"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/prompt"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/worktype"
)

const (
	// ruleHalfLife is the time in which the part of a rule's worth that ages halves, and
	// ruleStanding is the part that does not age.
	ruleHalfLife = 7 * 24 * time.Hour
	ruleStanding = 0.5
)

// Rules returns the user's rules for the type of work that a prompt asks for, the best first, or that
// the folder of a new file names: "add a test for it" finds the user's rules about tests. They share
// few words with the prompt, so Recall would be silent.
func (x *Index) Rules(q Query) []Hit {
	asked := worktype.Asked(q.Text)
	if q.NewFiles { // a file in the folder of migrations is one
		asked = worktype.Named(path.Dir(q.Files[0]))
	}
	if len(asked) == 0 || x.weights.RuleLines == 0 || !q.Task && !q.NewFiles && prompt.NeedsNothing(q.Text) && !prompt.Assents(q.Text) {
		return nil
	}
	var hits []Hit
	x.ask(q, func(r *ranking) { hits = r.rules(asked) })
	return hits
}

// RuleLines is the number of rules that a prompt may be told.
func (x *Index) RuleLines() int { return x.weights.RuleLines }

func (r *ranking) rules(asked []worktype.Type) []Hit {
	r.lookUp()
	whole := 0.0
	for _, t := range r.terms {
		whole += t.evidence * t.idf
	}
	var found []Hit
	places := map[uint32]int{} // in found, by slot
	for _, p := range asked {
		posting := r.index.terms[workPrefix+string(p)]
		if posting == nil {
			continue
		}
		for _, o := range posting {
			d := &r.index.docs[o.slot]
			if !r.wants(o.slot) || d.entry.SupersededBy != "" {
				continue
			}
			worth, shared := r.worthOfRule(d), r.sharedBy(o.slot)/math.Max(whole, 1)
			at, has := places[o.slot]
			if !has {
				at = len(found)
				places[o.slot] = at
				found = append(found, Hit{Memory: d.entry.Memory})
			}
			hit := &found[at]
			hit.Score += worth * (1 + shared)
			if r.q.Explain {
				hit.Why = append(hit.Why, Part{"the user's rule for " + string(p), worth})
			}
			if r.q.Explain && !has {
				hit.Why = append(hit.Why, Part{"x shared words", 1 + shared})
			}
		}
	}
	slices.SortFunc(found, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Memory.ID, b.Memory.ID))
	})
	return found[:min(len(found), r.q.Limit)]
}

// worthOfRule is the importance of a rule, of which a part ages.
func (r *ranking) worthOfRule(d *doc) float64 {
	importance := min(max(d.entry.Memory.Importance, 0), 1)
	if d.entry.Memory.Pinned {
		return 1 + importance
	}
	return importance * (ruleStanding + (1-ruleStanding)*fade(r.now.Sub(d.seenAt), ruleHalfLife))
}

// sharedBy is the inverse document frequency of the query's words that a doc has.
func (r *ranking) sharedBy(slot uint32) float64 {
	sum := 0.0
	for _, t := range r.terms {
		if t.evidence == 0 {
			continue
		}
		if _, has := t.posting.find(slot); has {
			sum += t.evidence * t.idf
		}
	}
	return sum
}
