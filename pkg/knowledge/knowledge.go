// Package knowledge finds what is worth keeping in what was said: statements in
// what a person typed, conclusions in what the assistant answered, a turn as one
// searchable text, whether two statements say the same or the later one undoes the
// earlier, and which failures are more than a step of the work. It is pure: text
// in, findings out, the same ones each time, and what it finds stands word for word
// in what it was given. It knows English and the way programmers write, and nothing
// of any one project. It refuses to read or write anything, to ask a model, and to
// decide how long a finding is kept.
package knowledge

import "github.com/surrealdb-memory/surrealdb-memory/pkg/memory"

// Statement is one sentence worth keeping.
type Statement struct {
	// Text is the sentence, a substring of what it was found in.
	Text string
	// Answers is what it answers, verbatim: the sentence before it or, where a
	// prompt opens with it, the last question of the assistant. Empty where it
	// stands for itself.
	Answers string
	// Heading is the heading or the bold label that it stands under, verbatim.
	Heading string
	Kind    memory.Kind
	// Salience says how sure the rule was that this is worth keeping, 0 to 1.
	Salience float64
	// Rule is the name of the rule that decided; see Rules.
	Rule string
}

// Context is what a prompt was typed into.
type Context struct {
	// LastWords are what the assistant said before, empty at a session's start.
	LastWords string
}

// Finder finds statements and conclusions. The zero value is the one in use;
// the field serves the measurement of what each rule is worth.
type Finder struct {
	// Without names rules (see Rules) that are off.
	Without map[string]bool
}

// Statements finds what is worth keeping in a prompt, in its order.
func Statements(prompt string, context Context) []Statement {
	return Finder{}.Statements(prompt, context)
}

// Conclusions finds what is worth keeping in the assistant's last words of a turn
// or in the report of a subagent, the most salient first.
func Conclusions(lastWords string) []Statement { return Finder{}.Conclusions(lastWords) }
