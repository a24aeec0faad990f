package briefing

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// The limits of the search for commands in a prompt: the number of words read, and the most and the fewest words of a
// command outside a code span.
const (
	wordsRead     = 300
	longestNamed  = 5
	shortestNamed = 2
)

// failing has the words that show that a prompt is about a failing command. In other prompts "make test" may be a
// request to write a test.
var failing = english.List("failing")

// commandsIn returns the commands in a prompt, in the form of shell.Normalize: its code spans and, if the prompt is
// about a failure, plain words that may be a command.
func commandsIn(text string) []string {
	var found []string
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 && strings.TrimSpace(part) != "" {
			found = append(found, shell.NormalizeEach(part)...)
		}
	}
	fields := language.Fields(text)
	var words []string
	fails := false
	for _, field := range fields[:min(len(fields), wordsRead)] {
		words = append(words, field.Word)
		fails = fails || failing[field.Lower()]
	}
	if !fails {
		return found
	}
	for from := range words {
		for to := from + shortestNamed; to <= min(from+longestNamed, len(words)); to++ {
			found = append(found, strings.Join(words[from:to], " "))
		}
	}
	return found
}
