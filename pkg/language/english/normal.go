package english

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
)

var (
	//go:embed grammarwords.txt
	grammarWordsText string
	//go:embed normalforms.txt
	normalFormsText string
)

// Words brings a text to its normal form: lower case, without punctuation and
// without the words that carry grammar and no fact, each word reduced to its
// stem and common abbreviations and synonyms to one of them. The order stays.
// English only; words of other languages pass through in lower case.
func Words(said string) []string {
	var words []string
	for _, raw := range language.Plain.List(said) {
		if grammarWords()[raw] {
			continue
		}
		stem := lightStem(raw)
		if normal := normalForms()[stem]; normal != nil {
			words = append(words, normal...)
		} else {
			words = append(words, stem)
		}
	}
	return words
}

// lightStem takes off the endings of number, tense and derivation. It keeps at
// least three letters and never looks at the meaning. Stored keys depend on it; in a search
// it finds less than Stem.
func lightStem(word string) string {
	if base, known := irregular()[word]; known {
		word = base
	}
	if len(word) <= 3 || !IsPlain(word) {
		return word
	}
	word = singular(word)
	if word == "embed" { // the only common word whose root ends like a past
		return word
	}
	word = withoutPast(word)
	if root, cut := strings.CutSuffix(word, "ically"); cut {
		return root + "ic"
	}
	if root, cut := strings.CutSuffix(word, "ily"); cut && len(root) >= 3 {
		return root + "y"
	}
	if len(word) > 5 && strings.HasSuffix(word, "ll") { // control(l)ed, instal(l)
		word = word[:len(word)-1]
	}
	word = withoutNoun(word)
	if root, cut := strings.CutSuffix(word, "e"); cut && len(root) >= 3 {
		return root
	}
	if root, cut := strings.CutSuffix(word, "at"); cut && len(root) >= 4 { // migrat(ing), as migrat(e)
		return root
	}
	return word
}

// withoutPast is a word without "ing" or "ed".
func withoutPast(word string) string {
	for _, ending := range []string{"ing", "ed"} {
		if root, cut := strings.CutSuffix(word, ending); cut && len(root) >= 3 && root[len(root)-1] != 'e' && strings.ContainsAny(root, "aeiouy") {
			return undouble(root)
		}
	}
	return word
}

// withoutNoun is a word without one of the endings that make nouns, verbs and adverbs.
func withoutNoun(word string) string {
	for _, ending := range []string{"ation", "ion", "ate", "ment", "ly"} {
		if root, cut := strings.CutSuffix(word, ending); cut && len(root) >= 4 {
			return root
		}
	}
	return word
}

func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "ied") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "shes"):
		return word[:len(word)-2]
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		return word[:len(word)-1]
	}
	return word
}

func undouble(root string) string {
	if n := len(root); n > 3 && root[n-1] == root[n-2] && !strings.ContainsRune("lsz", rune(root[n-1])) {
		return root[:n-1]
	}
	return root
}

// grammarWords are words that carry grammar and no fact. Unlike the stop words of a search
// they have no "not", "before" or "only": with these a text means something else.
var grammarWords = sync.OnceValue(func() map[string]bool { return words(grammarWordsText, strings.Clone) })

// normalForms holds by its stem each abbreviation or synonym, with the stems of the words
// that stand for it. A noun made of a verb and its particle stands for two: it is as often
// written so.
var normalForms = sync.OnceValue(func() map[string][]string {
	made := map[string][]string{}
	for form, base := range readForms(normalFormsText) {
		stems := strings.Fields(base)
		for i, word := range stems {
			stems[i] = lightStem(word)
		}
		made[lightStem(form)] = stems
	}
	return made
})
