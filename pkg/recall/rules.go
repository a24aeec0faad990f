package recall

import (
	"cmp"
	"path"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/worktype"
)

const (
	// ruleHalfLife is the time in which the part of a rule's worth that ages halves, and
	// ruleStanding is the part that does not age.
	ruleHalfLife = 7 * 24 * time.Hour
	ruleStanding = 0.5
	// mostRules bounds the rules for a new file.
	mostRules = 3
)

// Rules returns the user's rules for the type of work that the folder of a new file names, the
// best first: a file in the folder of migrations is one. They share few words with its path.
func (x *Index) Rules(q Query) []Hit {
	if !q.NewFiles {
		return nil
	}
	asked := worktype.Named(path.Dir(q.Files[0]))
	if len(asked) == 0 {
		return nil
	}
	var hits []Hit
	x.ask(q, func(r *ranking) { hits = r.rules(asked) })
	return hits
}

func (r *ranking) rules(asked []worktype.Type) []Hit {
	var found []Hit
	for _, p := range asked {
		for _, o := range r.index.terms[workPrefix+string(p)] {
			d := &r.index.docs[o.slot]
			if !r.wants(o.slot) || d.entry.SupersededBy != "" {
				continue
			}
			at := slices.IndexFunc(found, func(hit Hit) bool { return hit.Memory.ID == d.entry.Memory.ID })
			if at < 0 {
				at = len(found)
				found = append(found, Hit{Memory: d.entry.Memory})
			}
			worth := r.worthOfRule(d)
			found[at].Score += worth // of two types it counts twice
			if r.q.Explain {
				found[at].Why = append(found[at].Why, Part{"the user's rule for " + string(p), worth})
			}
		}
	}
	slices.SortFunc(found, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Memory.ID, b.Memory.ID))
	})
	return found[:min(len(found), mostRules)]
}

// worthOfRule is the importance of a rule, of which a part ages.
func (r *ranking) worthOfRule(d *doc) float64 {
	importance := min(max(d.entry.Memory.Importance, 0), 1)
	if d.entry.Memory.Pinned {
		return 1 + importance
	}
	return importance * (ruleStanding + (1-ruleStanding)*fade(r.now.Sub(d.seenAt), ruleHalfLife))
}
