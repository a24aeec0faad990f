package statement

import (
	"slices"
	"strings"
	"unicode"
)

// Same says whether a person would call two statements the same. It is Compare, except
// that compounds written together, apart or with a hyphen are one word, and words
// without meaning do not count. It is symmetric.
func Same(a, b string) bool {
	left, right := plainFields(a), plainFields(b)
	left, right = joinedAs(left, right), joinedAs(right, left)
	return Compare(strings.Join(left, " "), strings.Join(right, " ")).Relation == Duplicate
}

// Plain normalises a text for lookup: lower case, without spaces, punctuation, and
// words without meaning. Texts that may be the Same are looked up by equal Plain.
func Plain(text string) string {
	var b strings.Builder
	for _, field := range plainFields(text) {
		for _, r := range strings.ToLower(field) {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// courtesies can precede an aside.
var courtesies = []string{"please ", "and ", "also "}

// asides open a statement without adding meaning.
var asides = []string{"note that", "remember that", "keep in mind that", "make sure that", "make sure to", "be sure to", "for the record", "from now on", "as a reminder"}

// plainFields are the words of a text as written, without idle words.
func plainFields(text string) []string {
	text = strings.TrimSpace(text)
	for _, aside := range slices.Concat(courtesies, asides) {
		if len(text) > len(aside) && strings.EqualFold(text[:len(aside)], aside) {
			text = strings.TrimLeft(text[len(aside):], " ,:")
		}
	}
	var kept []string
	for _, field := range strings.Fields(text) {
		if bare := strings.ToLower(strings.Trim(field, trimmedBoth)); !idle[bare] {
			kept = append(kept, field)
		}
	}
	return kept
}

// shortestCompound is the fewest letters of a compound that may be written as two
// words.
const shortestCompound = 5

// joinedAs joins words that the other text writes as one: "time out" and "time-out"
// become "timeout" if the other has that.
func joinedAs(fields, other []string) []string {
	var whole []string
	for _, field := range other {
		if word := lettersOf(field); len(word) >= shortestCompound {
			whole = append(whole, word)
		}
	}
	var made []string
	for i := 0; i < len(fields); i++ {
		field := fields[i]
		if x, y, hyphenated := strings.Cut(field, "-"); hyphenated && lettersOf(x) != "" && lettersOf(y) != "" && slices.Contains(whole, lettersOf(x)+lettersOf(y)) {
			field = x + y
		} else if i+1 < len(fields) && lettersOf(field) != "" && endsPlain(field) && slices.Contains(whole, lettersOf(field)+lettersOf(fields[i+1])) && lettersOf(fields[i+1]) != "" {
			field += fields[i+1]
			i++
		}
		made = append(made, field)
	}
	return made
}

// lettersOf is a word in lower case without surrounding punctuation, if it consists of
// letters only.
func lettersOf(field string) string {
	word := strings.ToLower(strings.Trim(field, trimmedBoth))
	for _, r := range word {
		if !unicode.IsLetter(r) {
			return ""
		}
	}
	return word
}

// endsPlain says whether no punctuation separates a word from the next.
func endsPlain(field string) bool {
	return unicode.IsLetter(rune(field[len(field)-1]))
}

// Supersedes says whether the later of two statements makes the earlier false, and why:
// the words are the same but a number, a place or a negation differs (see Compare); or
// the later retires the subject of the earlier ("we don't have X anymore", "no longer X",
// "Y instead of X", "not X but Y", "moved from X to Y"), and the earlier mentions neither the successor nor
// the end. If a value is retired, both must have the same subject.
func Supersedes(later, earlier string) (bool, string) {
	if c := Compare(later, earlier); c.Relation != Distinct {
		return c.Relation == Update, c.Reason
	}
	said := lowerFields(earlier)
	if _, retires := retired(earlier); retires {
		return false, "the earlier one retires something itself"
	}
	r, retires := retired(later)
	if !retires || !isRetirable(r.word) {
		return false, "the later one retires nothing"
	}
	at := slices.Index(said, r.word)
	switch {
	case at < 0:
		return false, "the earlier one is not about " + r.word
	case r.by != "" && slices.Contains(said, r.by):
		return false, "the earlier one knows " + r.by + " too"
	case slices.ContainsFunc(said, func(word string) bool { return negations[word] != "" || strings.HasSuffix(word, "n't") }):
		return false, "the earlier one has a negation"
	case isValue(r.word) && !isAboutTheSame(lowerFields(later), said):
		return false, "the earlier one has " + r.word + " of something else"
	case !isNamed(r.word, later) && !isObject(said, at):
		return false, r.word + " is a word like others"
	}
	return true, r.word + " was retired"
}

// Retires is the word that a text retires, in lower case, or empty.
func Retires(text string) string {
	r, retires := retired(text)
	if !retires || !isRetirable(r.word) {
		return ""
	}
	return r.word
}

// RetiresValue says whether a text names a value, such as a port or version, that is no more.
func RetiresValue(text string) bool { return isValue(Retires(text)) }

// Subjects are the words of a text that a later text may retire, in lower case: names,
// and the words that it says to use. Statements that a text may supersede are looked up
// by the word that it Retires.
func Subjects(text string) []string {
	var found []string
	said := lowerFields(text)
	for at, word := range said {
		if isRetirable(word) && !small[word] && !slices.Contains(found, word) && (isNamed(word, text) || isObject(said, at)) {
			found = append(found, word)
		}
	}
	return found
}

// shortestRetired is the fewest letters of a word that can be retired, unless it is a value.
const shortestRetired = 2

func isRetirable(word string) bool { return len(word) >= shortestRetired || isValue(word) }

// longestPhrase is the most words of a phrase that is retired.
const longestPhrase = 3

// retirement is a retired word and its successor.
type retirement struct{ word, by string }

func lowerFields(text string) []string {
	var made []string
	for _, field := range strings.Fields(unifier.Replace(text)) {
		if bare := strings.ToLower(strings.Trim(field, trimmedBoth+"!")); bare != "" {
			made = append(made, bare)
		}
	}
	return made
}

// retired finds the word that a statement retires.
func retired(text string) (retirement, bool) {
	said := lowerFields(text)
	for i := range said {
		for _, find := range []func(said []string, at int, text string) retirement{retiredValue, ended, replaced} {
			if r := find(said, i, text); r.word != "" && r.word != r.by {
				return r, true
			}
		}
	}
	return retirement{}, false
}

// ended is the word that a place says to be no more, without a successor.
func ended(said []string, at int, text string) retirement {
	before := said[max(0, at-1)]
	switch {
	case said[at] == "anymore":
		return retirement{word: lastWord(said, at, text)}
	case said[at] == "more" && before == "any":
		return retirement{word: lastWord(said, at-1, text)}
	case said[at] == "longer" && before == "no":
		return retirement{word: nextWord(said, at+1)}
	}
	return retirement{}
}

// replaced is the word that a place says to be replaced, with its successor.
func replaced(said []string, at int, text string) retirement {
	switch word := said[at]; {
	case word == "instead" && at+1 < len(said) && said[at+1] == "of":
		return retirement{nextWord(said, at+2), lastWord(said, at, text)}
	case word == "from" && slices.ContainsFunc(said[:at], changes), word == "replaced", word == "replace":
		if to := slices.IndexFunc(said[at:], func(word string) bool { return word == "to" || word == "with" || word == "by" }); to > 1 {
			return retirement{nextWord(said, at+1), nextWord(said, at+to+1)}
		}
	case word == "not":
		if but := slices.Index(said[at:], "but"); but > 0 && but <= 4 {
			return retirement{nextWord(said, at+1), nextWord(said, at+but+1)}
		}
	}
	return retirement{}
}

// changes says whether a word tells of a change from one thing to another.
func changes(word string) bool { return changing[word] }

// retiredValue is the value right behind a word that says it is no more ("not 6543", "no
// longer listens on 6543", "was 6543"), where the text names another one for it.
func retiredValue(said []string, at int, _ string) retirement {
	isOver := said[at] == "not" || said[at] == "was" || said[at] == "longer" && at > 0 && said[at-1] == "no" || said[at] == "used" && at+1 < len(said) && said[at+1] == "to"
	if !isOver {
		return retirement{}
	}
	for i := at + 1; i < min(at+5, len(said)); i++ {
		switch {
		case isValue(said[i]):
			other := slices.IndexFunc(said, func(word string) bool { return isValue(word) && word != said[i] })
			if other < 0 {
				return retirement{}
			}
			return retirement{said[i], said[other]}
		case !small[said[i]] && !predicates[said[i]]:
			return retirement{}
		}
	}
	return retirement{}
}

// nextWord is the first word from a place on that says something.
func nextWord(said []string, from int) string {
	for ; from < len(said); from++ {
		if !small[said[from]] {
			return said[from]
		}
	}
	return ""
}

// lastWord is the last word of the phrase before a place, or its name if it has one ("the
// `Report-Id` trailers").
func lastWord(said []string, before int, text string) string {
	for before--; before >= 0 && small[said[before]]; before-- {
	}
	if before < 0 {
		return ""
	}
	for at := before; at >= 0 && at > before-longestPhrase && !small[said[at]]; at-- {
		if isNamed(said[at], text) {
			return said[at]
		}
	}
	return said[before]
}

// isNamed says whether a text writes a word as a name: in backticks, with an inner
// capital, or with a dash, dot, slash or underscore.
func isNamed(word, text string) bool {
	return strings.Contains(strings.ToLower(text), "`"+word+"`") || strings.ContainsAny(word, "_./-") || strings.ContainsFunc(word, unicode.IsDigit)
}

// isObject says whether the word at a position is the object that a statement says to
// use.
func isObject(said []string, at int) bool {
	for i := at - 1; i >= 0 && i >= at-3; i-- {
		switch said[i] {
		case "use", "uses", "using", "prefer", "run", "runs", "with", "through", "via", "by", "into", "in", "to", "on", "call", "choose", "chose", "picked", "have", "has", "need", "needs":
			return true
		}
		if !small[said[i]] {
			return false
		}
	}
	return at == 0
}

// coreWord is the fewest bytes of a word that can name the subject of a sentence.
const coreWord = 5

// Rejects says whether a person's words reject the sentence that they answer: they open
// as a rejection, or share a word of the subject with it.
func Rejects(said, answered string) bool {
	if answered == "" {
		return false
	}
	fields := lowerFields(said)
	if len(fields) > 0 && rejections[strings.Trim(fields[0], ",.!:;")] {
		return true
	}
	about := map[string]bool{}
	for _, word := range lowerFields(answered) {
		if word = strings.Trim(word, "`'\"(),.!:;?"); len(word) >= coreWord && !anywhere[word] {
			about[strings.TrimSuffix(stemOf(word), "s")] = true
		}
	}
	for _, word := range fields {
		if word = strings.Trim(word, "`'\"(),.!:;?"); len(word) >= coreWord && about[strings.TrimSuffix(stemOf(word), "s")] {
			return true
		}
	}
	return false
}
