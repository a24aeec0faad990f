package statement

import "github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"

var (
	idle        = english.List("idle")
	small       = english.List("small")
	negations   = english.Pairs("negations")
	directions  = english.List("directions")
	beForms     = english.List("beForms")
	participles = english.List("participles")
	acronyms    = english.List("acronyms")
	frameworks  = english.List("frameworks")
	placing     = english.List("placing")
	placeVerbs  = english.List("placeVerbs")
	numbered    = english.List("numbered")
	roots       = english.List("rootFolders")
	fileEndings = english.List("fileEndings")
	changing    = english.List("changing")
	predicates  = english.List("predicates")
	turns       = english.List("turns")
	ending      = english.List("ending")
	hedging     = english.List("hedging")
	anywhere    = english.List("common")
	denials     = english.List("denials")
	parting     = english.List("parting")
	limiting    = english.List("limiting")
	linking     = english.List("linking")
	rejections  = english.List("rejections")
	employing   = english.List("employing")
	auxiliaries = english.List("auxiliaries")
	openers     = english.List("clauseOpeners")
	units       = english.Pairs("units")
	spelled     = english.Pairs("spelled")
)

// onlyThis negates everything but the word next to it.
const onlyThis = "only"

// pole is one end of an axis with two ends.
type pole struct{ axis, sign string }

// poles are the opposites by the stems of their words.
var poles = func() map[string]pole {
	made := map[string]pole{}
	for _, sides := range english.Opposites() {
		for i, sign := range []string{"+", "-"} {
			for _, word := range sides[i] {
				made[stemOf(word)] = pole{"±" + sides[0][0], sign}
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
