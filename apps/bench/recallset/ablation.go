package recallset

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// Variant is a way to rank that is measured beside the others.
type Variant struct {
	Name    string
	Weights recall.Weights
}

// Ablation is the ranking as it is, plain BM25, and the ranking with one idea
// off at a time.
func Ablation() []Variant {
	variants := []Variant{{"as it is", recall.DefaultWeights()}, {"plain BM25", recall.PlainBM25()}}
	without := func(name string, turnOff func(*recall.Weights)) {
		w := recall.DefaultWeights()
		turnOff(&w)
		variants = append(variants, Variant{"without " + name, w})
	}
	without("neighbours", func(w *recall.Weights) { w.Next, w.Previous, w.Answer = 0, 0, 0 })
	without("a limit of time between neighbours", func(w *recall.Weights) { w.NeighbourGap = 1 << 60 })
	without("long memories speaking for themselves", func(w *recall.Weights) { w.LongFrom = 0 })
	without("questions lifting answers", func(w *recall.Weights) { w.Answer = 0 })
	without("labels", func(w *recall.Weights) { w.Label = 0 })
	without("frame words", func(w *recall.Weights) { w.Frame = 1 })
	without("misspellings", func(w *recall.Weights) { w.Variant = 0 })
	without("synonyms", func(w *recall.Weights) { w.Synonym = 0 })
	without("form of the question", func(w *recall.Weights) { w.When, w.Count = 0, 0 })
	without("time", func(w *recall.Weights) { w.Time, w.TimeOutside = 0, 1 })
	without("exact matches", func(w *recall.Weights) {
		w.Path, w.Name, w.Dir, w.Ext, w.Command, w.Program, w.Signature = 0, 0, 0, 0, 0, 0, 0
	})
	without("strength", func(w *recall.Weights) { w.Strength = 0 })
	without("the user's words first", func(w *recall.Weights) { w.UserWords = 0 })
	return variants
}

// MeasureAll asks an index of each set all its queries.
func MeasureAll(sets []Set, w recall.Weights) Report {
	return MeasureWithEmbeddings(sets, make([]*Embeddings, len(sets)), w)
}

// MeasureWithEmbeddings is MeasureAll with the memories near each set's queries by their
// embeddings.
func MeasureWithEmbeddings(sets []Set, embeddings []*Embeddings, w recall.Weights) Report {
	var tally Tally
	for i, s := range sets {
		s.Measure(w, embeddings[i], &tally)
	}
	return tally.Report()
}
