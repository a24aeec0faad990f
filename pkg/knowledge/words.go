package knowledge

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// rule is one reason to keep a sentence.
type rule struct {
	name string
	kind memory.Kind
	// weight is the confidence of the rule alone, 0 to 1. Weights of agreeing rules add
	// up.
	weight  float64
	phrases []string
}

// splitter keeps the marks that phrases may have, and names of files whole.
var splitter = language.Splitter{Joints: "-./_", Marks: ",:?!(→"}

// tokens splits a sentence into lower-case words without apostrophes ("don’t" becomes
// "dont"). The marks "," ":" "?" "!" "(" and an arrow are words of their own.
func tokens(sentence string) []string {
	words := splitter.List(unified.Replace(sentence))
	for i, word := range words {
		words[i] = corrected(word)
	}
	return words
}

// corrected is a word that rules go by, of one that is misspelled; else the word itself.
func corrected(word string) string {
	if meant, is := misspelled[word]; is {
		return meant
	}
	return word
}

// misspelled are the words that rules go by with two neighbouring letters swapped, a
// letter doubled or added, or, of longer ones, a letter left out.
var misspelled = func() map[string]string {
	made := map[string]string{}
	for _, word := range strings.Fields("should shouldnt always never because instead prefer completely otherwise whenever wrong longer everywhere consistent intentional intentionally") {
		for i := 1; i < len(word); i++ {
			if i+1 < len(word) {
				made[word[:i]+word[i+1:i+2]+word[i:i+1]+word[i+2:]] = word
			}
			if len(word) > 5 {
				made[word[:i]+word[i+1:]] = word
			}
			for letter := 'a'; letter <= 'z'; letter++ {
				made[word[:i]+string(letter)+word[i:]] = word
			}
		}
		made[word+"e"] = word
		delete(made, word)
	}
	return made
}()

// unified tells "we'll" from "well", and writes an arrow as one mark.
var unified = strings.NewReplacer("we'll", "we will", "We'll", "we will", "we’ll", "we will", "We’ll", "we will", "->", "→", "→", " ")

// index finds the phrases of at most 32 rules in one pass. A phrase that begins with
// "^" must stand at the start of a sentence or after its openers; "*" is any one word;
// "a|b" is either; "~class" is a word of that class (see classes).
type index struct {
	free    map[string][]phrase // by first word
	opening map[string][]phrase
	classes []string // that phrases begin with
}

type phrase struct {
	words []string // after the first
	rules uint32
}

func newIndex(rules []rule) index {
	made := index{free: map[string][]phrase{}, opening: map[string][]phrase{}}
	for i, r := range rules {
		made.add(r.phrases, 1<<i)
	}
	for name := range classes {
		if made.free[name] != nil || made.opening[name] != nil {
			made.classes = append(made.classes, name)
		}
	}
	return made
}

func (x index) add(list []string, rules uint32) {
	for _, text := range list {
		into := x.free
		rest, opens := strings.CutPrefix(text, "^")
		if opens {
			into = x.opening
		}
		words := strings.Fields(rest)
		for first := range strings.SplitSeq(words[0], "|") {
			into[first] = append(into[first], phrase{words[1:], rules})
		}
	}
}

// find is the set of rules with a phrase in a sentence. start is the index of the first
// word after the openers.
func (x index) find(words []string, start int) uint32 {
	var found uint32
	look := func(candidates []phrase, rest []string) {
		for _, c := range candidates {
			if found&c.rules == 0 && len(c.words) <= len(rest) && matches(c.words, rest) {
				found |= c.rules
			}
		}
	}
	if start < len(words) {
		look(x.opening[words[start]], words[start+1:])
	}
	if len(x.free) > 0 {
		for i, word := range words {
			look(x.free[word], words[i+1:])
		}
	}
	for _, name := range x.classes {
		is := classes[name]
		for i, word := range words {
			if !is(word) {
				continue
			}
			look(x.free[name], words[i+1:])
			if i == start {
				look(x.opening[name], words[i+1:])
			}
		}
	}
	return found
}

// phrases is an index of one list.
type phrases struct{ index }

func newPhrases(list ...string) phrases {
	made := newIndex(nil)
	made.add(list, 1)
	return phrases{made}
}

// in says whether a sentence holds one of the phrases.
func (p phrases) in(words []string, start int) bool { return p.find(words, start) != 0 }

func matches(pattern, words []string) bool {
	for i, want := range pattern {
		if want == "*" || want == words[i] || isOf(want, words[i]) {
			continue
		}
		if !strings.Contains(want, "|") || !oneOf(want, words[i]) {
			return false
		}
	}
	return true
}

func oneOf(alternatives, word string) bool {
	for alternatives != "" {
		var one string
		one, alternatives, _ = strings.Cut(alternatives, "|")
		if one == word || isOf(one, word) {
			return true
		}
	}
	return false
}

// isOf says whether a part of a phrase is a class and a word is of it.
func isOf(want, word string) bool {
	is := classes[want]
	return is != nil && is(word)
}
