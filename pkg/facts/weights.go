package facts

// Weights are the numbers of the ranking. docs/recall.md says what they were measured on.
type Weights struct {
	// K1 and B are BM25's: term-frequency saturation and length normalisation.
	K1, B float64
	// Text, Cue and Quote weigh a word of these fields of a fact.
	Text, Cue, Quote float64
	// Coverage weighs the cue that the query has most of.
	Coverage float64
	// Importance is the share of the score that one step of importance adds.
	Importance float64
	// Synonym weighs a synonym of a word of the query.
	Synonym float64
	// Part is the exponent
	Part float64
	// Reply is the share of the score that is left where a prompt replies to what was
	// just said.
	Reply float64
	// Question and Work are the scores from which a question, and any other prompt, is
	// told something.
	Question, Work float64
	// Floor is the share of the best score below which a fact is not told.
	Floor float64
}

// DefaultWeights are the measured weights.
func DefaultWeights() Weights {
	return Weights{
		K1: 1.2, B: 0.75, Text: 1, Cue: 2, Quote: 0.25, Coverage: 1, Importance: 0.2, Synonym: 0.4, Part: 1, Reply: 0.6,
		Question: 4.6, Work: 7.5, Floor: 0.35,
	}
}
