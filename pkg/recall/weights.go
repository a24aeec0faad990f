package recall

// Weights are the numbers of the ranking and of the gate. docs/adr/0020 has the worth of
// each; docs/lab/facts.md has the measurements of the gate.
type Weights struct {
	// K1 and B are BM25's: term-frequency saturation and length normalisation.
	K1, B float64
	// Coverage weighs the cue of which the query has most.
	Coverage float64
	// Importance is the share of the score that a step of importance adds.
	Importance float64
	// Synonym weighs a synonym of a word of the query, for memories that lack the word, and
	// Variant a word spelt nearly like one that no memory has.
	Synonym, Variant float64
	// Frame weighs the words that only phrase a question ("which kind of", "describe").
	Frame float64
	// Session is the share of the score of its neighbour in the session that is added to a
	// memory's own.
	Session float64
	// Question is the score that a question must exceed to be given something, and Work the
	// score that any other prompt must exceed.
	Question, Work float64
	// Overlap is the second condition, beside the score: the words that the text shares with
	// the best fact, divided by the root of all its words.
	Overlap float64
	// Floor is the share of the best score below which a fact is not given.
	Floor float64
	// Surprise is the surprise, in natural logarithms, above which a memory without cues is
	// given. Cover is the share of a short question that also suffices.
	Surprise, Cover float64
	// Rules is the number of memories that a prompt is given for the type of work that it
	// asks for, whatever their score. A step of importance adds RuleStep to that score.
	Rules    int
	RuleStep float64
}

// DefaultWeights returns the measured weights.
func DefaultWeights() Weights {
	return Weights{
		K1: 1.2, B: 0.75, Coverage: 1, Importance: 0.2, Synonym: 0.4, Variant: 1, Frame: 0.7, Session: 0.1,
		Question: 3, Overlap: 1.12, Work: 8.5, Floor: 0.45, Surprise: 2.5, Cover: 0.55, Rules: 2, RuleStep: 1,
	}
}
