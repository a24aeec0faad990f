package knowledge

import "github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"

// The bounds of a sentence that is kept.
const (
	minWords    = 4   // fewer are not understandable alone
	maxSentence = 600 // bytes; longer ones were not typed
	maxReferent = 160 // bytes of the sentence that is kept with the one which refers to it
	maxSaid     = 12  // sentences of one prompt, the first
	longPrompt  = 3000
)

// Context is the conversation that a prompt was typed into.
type Context struct {
	// LastWords are the assistant's words before the prompt; empty at a session's
	// start.
	LastWords string
}

// tokens splits a sentence into lower-case words without apostrophes ("don’t" becomes
// "dont"). The marks "," ":" "?" "!" and "(" are words of their own.
func tokens(sentence string) []string { return language.Sentence.List(sentence) }
