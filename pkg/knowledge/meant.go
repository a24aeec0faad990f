package knowledge

import (
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// judge applies the rules that agree. The strongest gives kind and name; each further one
// adds to the salience.
func (f Finder) judge(t table, words []string) Statement {
	agreeing := t.phrases.Find(words, opening(words))
	doubt, strongest := 1.0, 0.0
	var made Statement
	for i := range t.rules {
		r := &t.rules[i]
		if agreeing&(1<<i) == 0 || f.Without[r.name] {
			continue
		}
		doubt *= 1 - r.weight
		if r.weight > strongest {
			strongest, made.Kind, made.Rule = r.weight, r.kind, r.name
		}
	}
	made.Salience = 1 - doubt
	return made
}

// asMeant lowers the salience of a sentence that has the words of a rule and is not
// meant as one, and corrects its kind. words are its tokens.
func asMeant(made Statement, words []string) Statement {
	lasting := made.Rule == ruleStanding || made.Rule == ruleChange
	found := meant.phrases.Find(words, opening(words))
	for i, m := range meant.rules {
		is := found&(1<<i) != 0
		switch m.name {
		case "momentary":
			is = is && !lasting
		case "pointing":
			is = (is || pointsAtEnd(words)) && !lasting && !slices.ContainsFunc(words, func(word string) bool { return universal[word] })
		}
		if !is {
			continue
		}
		made.Salience *= m.weight
		if m.kind != "" && (made.Kind == memory.KindConvention || made.Kind == memory.KindDecision) {
			made.Kind = m.kind
		}
	}
	return made
}

// pointsAtEnd reports whether a wish or a prohibition ends in a word that points: "don't open a PR for
// this".
func pointsAtEnd(words []string) bool {
	if !wishes.In(words, opening(words)) {
		return false
	}
	last := lastLetters(words)
	return pointers[last]
}

var (
	wishes    = english.Phrases("wishes")
	pointers  = english.List("pointers")
	universal = english.List("universal")
)
