package recall

// Weights are the parameters of the ranking and of the gate. docs/adr/0020 says how much each is worth;
// docs/lab/facts.md has the measurements of the gate.
type Weights struct {
	// K1, B and K3 are parameters of BM25: saturation of a term's frequency in a memory, length normalisation, and
	// saturation of the frequency in a question.
	K1, B, K3 float64
	// Coverage is the weight of the coverage of the best cue.
	Coverage float64
	// Importance is the share of the score that each step of importance adds.
	Importance float64
	// Synonym is the weight of a synonym of a query word. Variant is the weight of a similar spelling, which counts
	// only if no memory has the query word itself.
	Synonym, Variant float64
	// QuestionWord is the weight of words that only phrase a question ("which kind of", "describe").
	QuestionWord float64
	// Neighbour is the share of a memory's score that is added to the scores of its neighbours in the session, if no other neighbour gives more.
	Neighbour float64
	// QuestionScore is the score that the best fact must exceed for a question, PromptScore the score for any other prompt.
	QuestionScore, PromptScore float64
	// Growth raises both scores if there are more facts than usualFacts: by the factor 1 + Growth × ln(facts / usualFacts).
	Growth float64
	// MinOverlap is the overlap that the best fact must exceed too: the number of terms shared with the text, divided by
	// the square root of the number of the text's terms.
	MinOverlap float64
	// MinShare is the minimum score of a fact, as a share of the best fact's score.
	MinShare float64
	// MinSurprise is the surprise (natural logarithm) that a memory without cues must exceed; see isSurprising. MinCover is
	// the share of a short question's words that suffices instead.
	MinSurprise, MinCover float64
	// MaxRules is the maximum number of memories for the type of work that a prompt asks for, which need no minimum
	// score. RuleStep is added to their score for each step of importance.
	MaxRules int
	RuleStep float64
}

// DefaultWeights returns the weights that were measured best.
func DefaultWeights() Weights {
	return Weights{
		K1: 1.2, B: 0.75, K3: 2, Coverage: 1, Importance: 0.2, Synonym: 0.4, Variant: 1, QuestionWord: 0.7, Neighbour: 0.1,
		QuestionScore: 3, MinOverlap: 1.12, PromptScore: 8.5, Growth: 0.36, MinShare: 0.45, MinSurprise: 2.5, MinCover: 0.55, MaxRules: 2, RuleStep: 1,
	}
}
