package recall

import (
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// needsNothing tells prompts that no memory can help: a reply to the last message, which
// the model still sees; a bare command; and a text without a speaker, such as a pasted
// review finding or log.
func needsNothing(prompt string) bool {
	text := strings.TrimSpace(memory.Cut(prompt, maxQueryBytes))
	return isBareCommand(text) || IsReply(text) || isPasted(text)
}

// isBareCommand tells a slash command without a request behind it: "/review --pr 12".
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

// IsReply tells a prompt that replies to the last message.
func IsReply(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text[:min(len(text), 60)]), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '\n' })
	if len(words) < 2 {
		return false
	}
	switch words[0] {
	case "no", "nope", "yes", "yep", "yeah", "but", "and", "also", "hmm", "hm", "ok", "okay", "ah", "oh", "sorry", "great", "thanks", "perfect",
		"cool", "nice", "wait", "option":
		return true
	case "i":
		return words[1] == "also" || words[1] == "meant" || words[1] == "like" && len(words) > 2 && words[2] == "option"
	case "for", "let's":
		return words[1] == "option"
	case "do", "does", "are", "is":
		if words[1] == "it" && len(words) > 2 && isJudgement(words[2]) {
			return false // "is it fine to ...?" is about the words that follow
		}
		return words[1] == "they" || words[1] == "it" || words[1] == "that" || words[1] == "those" || words[1] == "these"
	}
	return false
}

// Assents says whether a prompt agrees to the last message, before it asks for more:
// "yes, and commit it".
func Assents(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text[:min(len(text), 60)]), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "yes", "yep", "yeah", "ok", "okay", "great", "thanks", "perfect", "cool", "nice":
		return true
	}
	return false
}

func isJudgement(word string) bool {
	switch word {
	case "fine", "ok", "okay", "possible", "safe", "true", "worth", "better", "necessary", "allowed", "expected", "normal", "correct", "intended", "enough":
		return true
	}
	return false
}

// leastPasted is the length in bytes from which a text without a speaker counts as
// pasted.
const leastPasted = 120

// leastEnglish is the number of common English words that a text needs to be judged:
// text in another language has none of the words that show a speaker.
const leastEnglish = 2

func isPasted(text string) bool {
	if len(text) < leastPasted || strings.Contains(text, "?") {
		return false
	}
	english := 0
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	for i, word := range words {
		switch word {
		case "i", "i'm", "i'd", "i've", "i'll", "we", "we're", "we've", "our", "us", "my", "me", "you", "your", "please", "let's", "can", "could":
			return false
		case "implement", "add", "fix", "write", "make", "update", "review":
			if i == 0 || !precedesNoRequest(words[i-1]) {
				return false
			}
		case "the", "and", "of", "is", "to", "are", "that", "with":
			english++
		}
	}
	return english >= leastEnglish
}

// precedesNoRequest tells a word after which "make" or "fix" asks for nothing: "wrapping
// it would make failures clear", "the fix".
func precedesNoRequest(word string) bool {
	switch word {
	case "to", "would", "will", "may", "might", "should", "must", "cannot", "not", "the", "a", "this":
		return true
	}
	return false
}
