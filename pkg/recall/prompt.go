package recall

import (
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// mostRead is the maximum number of bytes of a prompt that are judged.
const mostRead = 8 << 10

// needsNothing reports whether no memory can help with a prompt: it is a bare command, or a reply to the last
// message, which the model still sees.
func needsNothing(prompt string) bool {
	text := strings.TrimSpace(prompt[:min(len(prompt), mostRead)])
	return isBareCommand(text) || isReply(text)
}

// isBareCommand reports whether a text is a slash command without a request, such as "/review --pr 12".
func isBareCommand(text string) bool {
	fields := strings.Fields(text)
	if len(fields) == 0 || !strings.HasPrefix(fields[0], "/") || strings.Contains(fields[0][1:], "/") {
		return false
	}
	for _, field := range fields[1:] {
		if !strings.HasPrefix(field, "-") && strings.IndexFunc(field, unicode.IsLetter) >= 0 {
			return false
		}
	}
	return true
}

// isQuestion reports whether a text asks for an answer: "why did we ...?", but not "can you add ...?". "Are there
// ...?" and "are we ...?" do not count, because they ask about the present, which the code shows.
func isQuestion(text string) bool {
	text = strings.TrimRight(strings.TrimSpace(text), " )\"'")
	words := language.Spoken.List(text[:min(len(text), 100)])
	if len(words) < 2 || !strings.HasSuffix(text, "?") || words[1] == "you" || words[0] == "are" && (words[1] == "there" || words[1] == "we") {
		return false
	}
	if prepositions[words[0]] && (words[1] == "which" || words[1] == "what" || words[1] == "whom" || words[1] == "whose") {
		return true
	}
	return inquiring[strings.TrimSuffix(words[0], "'s")]
}

// isReply reports whether a text replies to the last message.
func isReply(text string) bool {
	words := language.Spoken.List(text[:min(len(text), 60)])
	if len(words) < 2 || strings.HasPrefix(strings.ToLower(text), words[0]+"\n") { // a single word on the first line is a heading
		return false
	}
	return replying[words[0]]
}

var (
	prepositions = english.List("prepositions")
	inquiring    = english.List("inquiring")
	assenting    = language.Set(language.Yes + language.Praise)
	replying     = english.List("replying")
)

// assents reports whether a prompt agrees with the last message: "yes, and commit it".
func assents(text string) bool {
	words := language.Spoken.List(text[:min(len(text), 60)])
	return len(words) > 0 && assenting[words[0]]
}
