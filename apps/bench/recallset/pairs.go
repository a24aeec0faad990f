package recallset

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// Pair counts the answers from memories of one set to prompts of another set. Nothing is
// the right answer.
type Pair struct {
	Prompts  string `json:"prompts"`
	Memories string `json:"memories"`
	Asked    int    `json:"asked"`
	// Answered counts the prompts that get anything, for each threshold.
	Answered []int `json:"answered"`
}

// leastAsked is how many prompts a set must have to be put to others.
const leastAsked = 20

// Pairs puts the queries of each set to the memories of every other, and those that
// must get no answer to its own, by each of some thresholds (recall.Weights.Chance).
func Pairs(sets []Set, w recall.Weights, thresholds []float64) []Pair {
	var pairs []Pair
	for _, memories := range sets {
		x := memories.Index(w)
		x.Calibrate(x.SamplePrompts())
		now := memories.Latest().Add(time.Hour)
		for _, prompts := range sets {
			pair := Pair{Prompts: prompts.Name, Memories: memories.Name, Answered: make([]int, len(thresholds))}
			for _, q := range prompts.Queries {
				if prompts.Name == memories.Name && (len(q.Evidence) > 0 || !q.AsOf.IsZero()) {
					continue
				}
				pair.Asked++
				beats := beating(x, recall.Query{Text: q.Text, Now: now})
				for i, threshold := range thresholds {
					if beats > threshold-w.Chance {
						pair.Answered[i]++
					}
				}
			}
			if pair.Asked >= leastAsked {
				pairs = append(pairs, pair)
			}
		}
	}
	return pairs
}

// certain is the margin over chance of a query that is answered for another reason.
const certain = 1000

// beating is the margin over chance of a prompt; below 0 it gets no answer. The user's
// rules for the type of work that it asks for are one.
func beating(x *recall.Index, q recall.Query) float64 {
	q.Unasked = true
	if len(x.Rules(q)) > 0 {
		return certain
	}
	e := x.Explain(q, "")
	switch {
	case e.Best != 0 || e.Chance != 0:
		return e.Best - e.Chance
	case e.Silent:
		return -certain
	default:
		return certain
	}
}

// Point is one choice of the threshold of silence for one set.
type Point struct {
	Threshold float64 `json:"threshold"`
	// Found is how many queries have evidence among the first five, Helped how many
	// of them get an answer as prompts; Silent how many queries must get none, and
	// Broken how many of those do.
	Found  int `json:"found"`
	Helped int `json:"helped"`
	Asked  int `json:"asked"` // queries that have evidence at all
	Silent int `json:"silent"`
	Broken int `json:"broken"`
}

// Curve measures the queries of a set at each threshold.
func Curve(s Set, w recall.Weights, thresholds []float64) []Point {
	points := make([]Point, len(thresholds))
	s.visit(w, func(x *recall.Index, q Query, now time.Time) {
		query := recall.Query{Text: q.Text, Now: now, Limit: looked}
		found := false
		for _, hit := range x.Recall(query) {
			for _, id := range q.Evidence {
				found = found || id == hit.Memory.ID && (q.Session == "" || hit.Memory.Session != q.Session)
			}
		}
		beats := beating(x, query)
		for i, threshold := range thresholds {
			p := &points[i]
			p.Threshold = threshold
			told := beats > threshold-w.Chance
			switch {
			case len(q.Evidence) == 0:
				p.Silent++
				p.Broken += count(told)
			default:
				p.Asked++
				p.Found += count(found)
				p.Helped += count(found && told)
			}
		}
	})
	return points
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
