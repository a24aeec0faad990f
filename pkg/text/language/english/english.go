// Package english has stems, stop words, irregular forms, synonyms, and the lists of words and phrases by
// which texts are judged; it splits texts into terms to search for, and normalises them so that
// texts with the same content are alike. Its tables are the text files beside it. It is pure.
package english

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/kljensen/snowball/english"
)

var (
	//go:embed stopwords.txt
	stopWordsText string
	//go:embed irregular.txt
	irregularText string
	//go:embed synonyms.txt
	synonymsText string
	//go:embed framewords.txt
	frameWordsText string
)

// shortestStemmed is the length in bytes from which a word has a stem.
const shortestStemmed = 3

// Stem reduces a lower-case word to the stem that its other forms have too, by Porter's
// second English algorithm after the table of irregular forms, which no suffix rule
// reaches. A word that is not plain stays as it is.
func Stem(word string) string {
	if base, ok := irregular()[word]; ok {
		word = base
	}
	if len(word) < shortestStemmed || !IsPlain(word) {
		return word
	}
	return english.Stem(word, true)
}

// IsPlain reports whether a word has only the letters a to z.
func IsPlain(word string) bool {
	for i := range len(word) {
		if c := word[i]; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// IsStopWord reports whether a lower-case word carries no topic. Words that are also names of things in
// software (go, make, it as IT) are stop words only where English uses them on nearly every line.
func IsStopWord(word string) bool { return stopWords()[word] }

// FramesQuestion reports whether a stem asks rather than names a topic ("which kind of").
func FramesQuestion(stem string) bool { return frameWords()[stem] }

// Synonyms are the stems that may stand for a stem. The caller must not change them.
func Synonyms(stem string) []string { return synonyms()[stem] }

var (
	stopWords  = sync.OnceValue(func() map[string]bool { return words(stopWordsText, strings.Clone) })
	frameWords = sync.OnceValue(func() map[string]bool { return words(frameWordsText, Stem) })
	irregular  = sync.OnceValue(func() map[string]string { return readForms(irregularText) })
	synonyms   = sync.OnceValue(func() map[string][]string { return readSynonyms(synonymsText) })
)

func words(text string, form func(string) string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[form(w)] = true
	}
	return set
}

// readForms reads lines of a base form, a colon, and the forms that lead to it.
func readForms(text string) map[string]string {
	bases := map[string]string{}
	for line := range strings.Lines(text) {
		base, forms, _ := strings.Cut(strings.TrimSpace(line), ":")
		for _, form := range strings.Fields(forms) {
			bases[form] = base
		}
	}
	return bases
}

// readSynonyms reads groups, one a line, in which each word stands for the others. In
// a line with ">", the word before it is a kind of which the others are examples, and
// only asking for the kind finds them.
func readSynonyms(text string) map[string][]string {
	found := map[string][]string{}
	relate := func(from, to string) {
		if from != to {
			found[from] = append(found[from], to)
		}
	}
	for line := range strings.Lines(text) {
		kind, examples, directed := strings.Cut(line, ">")
		if directed {
			for _, w := range strings.Fields(examples) {
				relate(Stem(strings.TrimSpace(kind)), Stem(w))
			}
			continue
		}
		group := strings.Fields(line)
		for _, a := range group {
			for _, b := range group {
				relate(Stem(a), Stem(b))
			}
		}
	}
	return found
}
