package knowledge

import "github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"

// The limits of a sentence that is kept.
const (
	minWords    = 4   // shorter sentences are not understandable alone
	maxSentence = 600 // bytes; nobody types longer sentences
	maxReferent = 160 // bytes of a previous sentence that is kept with the sentence that refers to it
	maxSaid     = 12  // sentences per prompt; later ones are dropped
	longPrompt  = 3000
)

// tokens splits a sentence into lower-case words without apostrophes ("don’t" becomes "dont"). The marks , : ? !
// and ( are words.
func tokens(sentence string) []string { return language.Sentence.List(sentence) }
