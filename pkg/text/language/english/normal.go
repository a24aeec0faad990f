package english

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
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
// English only; words of other languages pass through in lower case. Stored keys depend on it.
func Words(said string) []string {
	var words []string
	for _, raw := range language.Plain.List(said) {
		if grammarWords()[raw] {
			continue
		}
		stem := Stem(raw)
		if normal := normalForms()[stem]; normal != nil {
			words = append(words, normal...)
		} else {
			words = append(words, stem)
		}
	}
	return words
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
			stems[i] = Stem(word)
		}
		made[Stem(form)] = stems
	}
	return made
})
