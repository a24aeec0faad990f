package recallset

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// Splitter splits a text into the words that BM25 counts.
type Splitter func(text string) []string

// Terms splits a text into the terms of recall.
func Terms(text string) (terms []string) {
	for _, t := range english.Tokenize(text) {
		terms = append(terms, t.Term)
	}
	return terms
}

// Blanks splits a text at spaces into lower-case words, without stems and stop words.
func Blanks(text string) []string { return strings.Fields(strings.ToLower(text)) }

// MeasurePlain measures BM25 (k1 1.2, b 0.75) without silence. It is the minimum that recall must beat.
func MeasurePlain(sets []Set, split Splitter) Report {
	var tally Tally
	for _, s := range sets {
		sessions := s.Sessions()
		for _, q := range s.Queries {
			tally.Add(sessions, q, Answer{IDs: PlainRank(s.knownTo(q), q.Text, split), AsPrompt: true})
		}
	}
	return tally.Report()
}

// knownTo returns the memories that may answer a query.
func (s Set) knownTo(q Query) []Memory {
	if q.AsOf.IsZero() {
		return s.Memories
	}
	return slices.DeleteFunc(slices.Clone(s.Memories), func(m Memory) bool {
		return !m.CreatedAt.Before(q.AsOf) || m.Session == q.Session
	})
}

// PlainRank returns the ids of the memories that share a word with a query, by BM25, the best first.
func PlainRank(memories []Memory, query string, split Splitter) []string {
	const k1, b = 1.2, 0.75
	texts := make([]map[string]float64, len(memories))
	lengths := make([]float64, len(memories))
	has := map[string]float64{}
	average := 0.0
	for i, m := range memories {
		texts[i] = map[string]float64{}
		for _, word := range split(m.Content) {
			texts[i][word]++
			lengths[i]++
		}
		for word := range texts[i] {
			has[word]++
		}
		average += lengths[i] / float64(len(memories))
	}
	asked := unique(split(query))
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
