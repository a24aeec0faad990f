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

// Words normalises a text: lower case, no punctuation, no words that only carry grammar, stems, and one form for
// common abbreviations and synonyms. The order stays. Words of other languages than English are only put into lower
// case. Stored keys depend on the result.
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

// grammarWords carry grammar and no fact. Unlike the stop words of a search they exclude "not", "before" and
// "only", which change what a text means.
var grammarWords = sync.OnceValue(func() map[string]bool { return words(grammarWordsText, strings.Clone) })

// normalForms maps the stem of an abbreviation or synonym to the stems that replace it. A noun made of a verb and
// its particle (login) has two, because it is as often written as two words.
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
