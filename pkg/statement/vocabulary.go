package statement

import (
	_ "embed"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
)

//go:embed words.txt
var table string

var lists = language.RowsByName(table)

func words(name string) map[string]bool { return language.Set(lists[name].Column(1)) }

func pairs(name string) map[string]string { return language.Pairs(lists[name].Column(1)) }

var (
	idle        = words("idle")  // they add no meaning to a statement
	small       = words("small") // they can stand between a verb and its object, but are no objects
	negations   = pairs("negations")
	directions  = words("directions")
	beForms     = words("beForms")
	participles = words("participles")
	acronyms    = words("acronyms")
	frameworks  = words("frameworks")
	placing     = words("placing")
	placeVerbs  = words("placeVerbs")
	numbered    = words("numbered")
	roots       = words("rootDirectories")
	fileEndings = words("fileEndings")
	changing    = words("changing")   // they name a change from one thing to another
	predicates  = words("predicates") // they name the property of a value: two sentences about one subject may differ in them
	turns       = words("turns")      // by these a sentence declares a value gone
	ending      = words("ending")     // they declare the subject before them gone
	hedging     = words("hedging")    // a sentence with one is a plan, a report or an addition, and changes nothing
	anywhere    = words("common")     // long words that are in sentences about anything
	denials     = words("denials")    // negations that deny the next word of a title
	parting     = words("parting")    // between the parts of a list, or two clauses
	limiting    = words("limiting")   // they limit a claim to a case
	linking     = words("linking")    // between a property and its value
	units       = pairs("units")
	spelled     = pairs("spelled")
)

// rejections are the first words of a plain rejection.
var rejections = language.Set(language.No + lists["rejections"].Column(1))

// onlyThis negates everything but the word next to it.
const onlyThis = "only"

// pole is one end of an axis with two ends.
type pole struct{ axis, sign string }

// poles are the opposites by the stems of their words.
var poles = func() map[string]pole {
	made := map[string]pole{}
	for _, row := range language.Rows(table) {
		if row.Columns[0] != "opposite" {
			continue
		}
		axis, _, _ := strings.Cut(row.Column(1), " ")
		for i, sign := range []string{"+", "-"} {
			for word := range strings.FieldsSeq(row.Column(i + 1)) {
				made[stemOf(word)] = pole{"±" + axis, sign}
			}
		}
	}
	return made
}()

func poleOf(word string) (pole, bool) {
	found, known := poles[stemOf(word)]
	return found, known
}

// stemOf stems a single word and returns anything else unchanged.
func stemOf(word string) string {
	if stems := english.Words(word); len(stems) == 1 {
		return stems[0]
	}
	return word
}
