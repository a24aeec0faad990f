// Package knowledge finds the sentences of a text that are worth keeping: the user's statements,
// conclusions in the assistant's answers, cards of turns, duplicates and corrections among
// statements, and failures worth remembering. It is pure and deterministic, and each finding is a
// verbatim part of its input. It covers English, the plainest of German, French and Spanish, and
// the way programmers write, and has no terms of any one project. It reads and writes nothing,
// asks no model, and does not decide how long a finding is kept.
package knowledge

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The bounds of a statement.
const (
	minWords      = 4    // fewer are not understandable alone
	maxSentence   = 600  // bytes; longer ones were not typed
	shortRequest  = 7    // words; a shorter request is done once it is carried out
	maxStatement  = 8    // of one prompt, the most salient
	keepFrom      = 0.40 // salience
	replySalience = 0.42 // behind a bare rejection
	longPrompt    = 3000 // bytes; a longer prompt is a document
	maxReferent   = 160  // bytes of the sentence that is kept with the one which refers to it
)

// Statement is one sentence worth keeping.
type Statement struct {
	// Text is the sentence, a substring of the input.
	Text string
	// Answers is the text that it answers, verbatim: the sentence before it or, for the
	// opening of a prompt, the assistant's last question. Empty if there is none.
	Answers string
	// Heading is the heading or bold label above it, verbatim.
	Heading string
	Kind    memory.Kind
	// Salience is the confidence of the rule that this is worth keeping, 0 to 1.
	Salience float64
	// Rule is the name of the deciding rule; see Rules.
	Rule string
}

// Context is the conversation that a prompt was typed into.
type Context struct {
	// LastWords are the assistant's words before the prompt; empty at a session's
	// start.
	LastWords string
}

// Finder finds statements and conclusions. The zero value has all rules on; the fields
// exist to measure the worth of each rule.
type Finder struct {
	// Without names the rules (see Rules) that are off.
	Without map[string]bool
	// AsWorded goes by the words of a sentence alone, whether or not they are meant as a
	// rule. It finds the sentences that were kept before the rules asked how a sentence
	// is meant.
	AsWorded bool
}
