// Package english has stems, stop words, irregular forms, synonyms, and the lists of words and phrases by which texts are judged. It splits texts into search
// terms, and normalises texts so that equal content compares equal. Its tables are the text files beside it. It is pure.
package english

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/kljensen/snowball/english"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
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

// shortestStemmed is the length in bytes of the shortest word with a stem.
const shortestStemmed = 3

// Stem reduces a lower-case word to the stem that it shares with its other forms: by the table of irregular forms,
// then by Porter's second English algorithm. A word that is not plain is returned unchanged.
func Stem(word string) string {
	if base, ok := irregular()[word]; ok {
		word = base
	}
	if len(word) < shortestStemmed || !IsPlain(word) {
		return word
	}
	known.Lock()
	defer known.Unlock()
	stem, isKnown := known.stems[word]
	if !isKnown {
		if len(known.stems) == mostKnown {
			clear(known.stems)
		}
		stem = english.Stem(word, true)
		known.stems[strings.Clone(word)] = stem
	}
	return stem
}

// known has the stems of up to mostKnown words: computing them takes most of the time in which a text is split.
var known = struct {
	sync.Mutex
	stems map[string]string
}{stems: map[string]string{}}

const mostKnown = 1 << 14

// IsPlain reports whether a word consists of the letters a to z.
func IsPlain(word string) bool {
	for i := range len(word) {
		if c := word[i]; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// IsStopWord reports whether a lower-case word carries no topic. Words that also name things in software (go, make,
// IT) are stop words only if nearly every line of English has them.
func IsStopWord(word string) bool { return stopWords()[word] }

// FramesQuestion reports whether a stem belongs to the form of a question ("which kind of") and names no topic.
func FramesQuestion(stem string) bool { return frameWords()[stem] }

// Synonyms returns the stems that may replace a stem. The caller must not change the slice.
func Synonyms(stem string) []string { return synonyms()[stem] }

var (
	stopWords  = sync.OnceValue(func() map[string]bool { return language.Set(stopWordsText) })
	frameWords = sync.OnceValue(func() map[string]bool { return stems(frameWordsText) })
	irregular  = sync.OnceValue(func() map[string]string { return readForms(irregularText) })
	synonyms   = sync.OnceValue(func() map[string][]string { return readSynonyms(synonymsText) })
)

func stems(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[Stem(w)] = true
	}
	return set
}

// readForms parses lines of a base form, a colon and its other forms.
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

// readSynonyms parses one group of synonyms per line. In a line with ">", the words after it are examples of the
// kind before it: a search for the kind finds them, but not the reverse.
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

//go:embed lists.txt
var listsText string

var lists = readLists()

func readLists() map[string]language.Row {
	read := map[string]language.Row{}
	other := []string{"@yes ", language.Yes, "@no ", language.No, "@praise ", language.Praise, "@sighs ", language.Sighs}
	for _, row := range language.Rows(listsText) {
		row.Columns[1] = strings.NewReplacer(other...).Replace(row.Columns[1])
		other = append(other, "@"+row.Columns[0]+" ", row.Columns[1]+" ")
		read[row.Columns[0]] = row
	}
	return read
}

func list(name string) language.Row {
	row, has := lists[name]
	if !has {
		panic("there is no list " + name + " of English words")
	}
	return row
}

// List returns the words of a list as a set. It panics if there is no such list.
func List(name string) map[string]bool { return language.Set(list(name).Column(1)) }
