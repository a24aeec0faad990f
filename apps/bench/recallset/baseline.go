package recallset

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// MeasureWhitespace measures BM25 (k1 1.2, b 0.75) over lower-case words between
// blanks, without stems, stop words or silence: the least that a ranking must beat.
func MeasureWhitespace(sets []Set) Report {
	var tally Tally
	for _, s := range sets {
		sessions := s.Sessions()
		for _, q := range s.Queries {
			tally.Add(sessions, q, Answer{IDs: whitespaceRank(s.knownTo(q), q.Text), Told: true})
		}
	}
	return tally.Report()
}

// knownTo is the memories that may answer a query.
func (s Set) knownTo(q Query) []Memory {
	if q.AsOf.IsZero() {
		return s.Memories
	}
	return slices.DeleteFunc(slices.Clone(s.Memories), func(m Memory) bool {
		return !m.CreatedAt.Before(q.AsOf) || m.Session == q.Session
	})
}

func whitespaceRank(memories []Memory, query string) []string {
	const k1, b = 1.2, 0.75
	texts := make([]map[string]float64, len(memories))
	lengths := make([]float64, len(memories))
	has := map[string]float64{}
	average := 0.0
	for i, m := range memories {
		texts[i] = map[string]float64{}
		for _, word := range strings.Fields(strings.ToLower(m.Content)) {
			texts[i][word]++
			lengths[i]++
		}
		for word := range texts[i] {
			has[word]++
		}
		average += lengths[i] / float64(len(memories))
	}
	asked := unique(strings.Fields(strings.ToLower(query)))
	type scored struct {
		id    string
		score float64
	}
	var found []scored
	for i, m := range memories {
		score := 0.0
		for _, word := range asked {
			if tf := texts[i][word]; tf > 0 {
				idf := math.Log1p((float64(len(memories)) - has[word] + 0.5) / (has[word] + 0.5))
				score += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*lengths[i]/average))
			}
		}
		if score > 0 {
			found = append(found, scored{m.ID, score})
		}
	}
	slices.SortFunc(found, func(x, y scored) int { return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.id, y.id)) })
	var ids []string
	for _, f := range found[:min(len(found), depth)] {
		ids = append(ids, f.id)
	}
	return ids
}
