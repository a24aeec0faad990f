package statement

import (
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
)

// Sentence is a text that is parsed once and compared with many others. It is not safe for concurrent use.
type Sentence struct {
	Statement
	text       string
	fields     func() []language.Field // as plainFields has them
	letters    func() []string         // of each field, as lettersOf has them
	bare       func() Statement        // of the fields
	said       func() []string         // as lowerFields has them
	over       func() (retirement, bool)
	assignment func() assignment
}

// Read parses a text. The parts that only few comparisons need are parsed by the first that does.
func Read(text string) *Sentence {
	s := &Sentence{Statement: Parse(text), text: text}
	s.fields = once(func() []language.Field { return plainFields(text) })
	s.letters = once(func() (letters []string) {
		for _, field := range s.fields() {
			letters = append(letters, lettersOf(field.Word))
		}
		return letters
	})
	s.bare = once(func() Statement { return parse(s.fields()) })
	s.said = once(func() []string { return lowerFields(text) })
	isOver := false
	over := once(func() (r retirement) {
		r, isOver = retired(text)
		return r
	})
	s.over = func() (retirement, bool) { return over(), isOver }
	s.assignment = once(func() assignment { return assigned(text) })
	return s
}

// once is sync.OnceValue without its locks.
func once[T any](make func() T) func() T {
	var made *T
	return func() T {
		if made == nil {
			value := make()
			made = &value
		}
		return *made
	}
}

// Same reports whether a person would call two statements the same. It is Compare, except that compounds
// written together, apart or with a hyphen are one word, and words without meaning do not count.
// It is symmetric.
func (s *Sentence) Same(other *Sentence) bool {
	return s.joined(s.joinedAs(other)).Compare(other.joined(other.joinedAs(s))).Relation == Duplicate
}

// joined is the sentence with its plain fields as another text writes them.
func (s *Sentence) joined(fields []language.Field) Statement {
	if slices.Equal(fields, s.fields()) {
		return s.bare()
	}
	return parse(fields)
}

// RetiresValue reports whether the sentence retires a value, such as a port or version, or replaces it
// by another one.
func (s *Sentence) RetiresValue() bool { return isValue(word(s.over())) || s.assignment().isNew }

// Retires reports whether the sentence makes earlier ones false: something is gone, or is now another.
func (s *Sentence) Retires() bool { return word(s.over()) != "" || s.assignment().isNew }

// Adds reports whether the sentence itself claims to hold beside the earlier ones.
func (s *Sentence) Adds() bool {
	return slices.ContainsFunc(s.said(), func(word string) bool {
		return word == "also" || word == "too" ||
			word == "additionally"
	})
}

// Plain normalises a text for lookup: lower case, without spaces, punctuation, and
// words without meaning. Texts that may be the Same are looked up by equal Plain.
func Plain(text string) string {
	var b strings.Builder
	for _, field := range plainFields(text) {
		for _, r := range strings.ToLower(field.Text()) {
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
var asides = []string{
	"note that", "remember that", "keep in mind that", "make sure that", "make sure to",
	"be sure to", "for the record", "from now on", "as a reminder",
}

// plainFields are the fields of a text without idle words.
func plainFields(text string) []language.Field {
	text = strings.TrimSpace(text)
	for _, aside := range slices.Concat(courtesies, asides) {
		if len(text) > len(aside) && strings.EqualFold(text[:len(aside)], aside) {
			text = strings.TrimLeft(text[len(aside):], " ,:")
		}
	}
	return slices.DeleteFunc(fieldsOf(text), func(f language.Field) bool { return idle[f.Lower()] })
}

// shortestCompound is the fewest letters of a compound that may be written as two
// words.
const shortestCompound = 5

// joinedAs joins words that the other text writes as one: "time out" and "time-out"
// become "timeout" if the other has that.
func (s *Sentence) joinedAs(other *Sentence) []language.Field {
	fields, letters, whole := s.fields(), s.letters(), other.letters()
	hasWhole := func(word string) bool { return len(word) >= shortestCompound && slices.Contains(whole, word) }
	var made []language.Field
	for i := 0; i < len(fields); i++ {
		field := fields[i]
		if x, y, hyphenated := strings.Cut(field.Word, "-"); hyphenated && lettersOf(x) != "" &&
			lettersOf(y) != "" && hasWhole(lettersOf(x)+lettersOf(y)) {
			field.Word = x + y
		} else if i+1 < len(fields) && letters[i] != "" && letters[i+1] != "" && field.Behind == "" &&
			hasWhole(letters[i]+letters[i+1]) {
			field = language.Field{Before: field.Before, Word: field.Word + fields[i+1].Word, Behind: fields[i+1].Behind}
			i++
		}
		made = append(made, field)
	}
	return made
}

// lettersOf is a word in lower case, if it consists of letters only.
func lettersOf(word string) string {
	if strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return ""
	}
	return strings.ToLower(word)
}

// Supersedes reports whether the later of two statements makes the earlier false, and why: the words are
// the same but a number, a place or a negation differs (see Compare); or the later retires the
// subject of the earlier ("we don't have X anymore", "no longer X", "Y instead of X", "not X but
// Y", "moved from X to Y"), and the earlier mentions neither the successor nor the end. If a
// value is retired, both must have the same subject.
func (s *Sentence) Supersedes(earlier *Sentence) (bool, string) {
	if s.Adds() {
		return false, "the later one adds to the earlier one"
	}
	if c := s.Compare(earlier.Statement); c.Relation != Distinct {
		return c.Relation == Update, c.Reason
	}
	if s.moves(earlier) {
		return true, s.assignment().value + " replaced " + earlier.assignment().value
	}
	return s.retires(earlier)
}

// retires reports whether the word that the sentence retires is the subject of the earlier one.
func (s *Sentence) retires(earlier *Sentence) (bool, string) {
	if _, retires := earlier.over(); retires {
		return false, "the earlier one retires something itself"
	}
	said := earlier.said()
	r, retires := s.over()
	if !retires || !isRetirable(r.word) {
		return false, "the later one retires nothing"
	}
	at := slices.Index(said, r.word)
	switch {
	case at < 0:
		return false, "the earlier one is not about " + r.word
	case r.by != "" && slices.Contains(said, r.by):
		return false, "the earlier one mentions " + r.by + " too"
	case slices.ContainsFunc(said, func(word string) bool { return negations[word] != "" || strings.HasSuffix(word, "n't") }):
		return false, "the earlier one has a negation"
	case isValue(r.word) && !isAboutTheSame(s.said(), said):
		return false, "the earlier one has " + r.word + " of something else"
	case !isNamed(r.word, s.text) && !isObject(said, at):
		return false, r.word + " is a word like others"
	}
	return true, r.word + " was retired"
}

// moves reports whether the sentence changes the value of the earlier one's assignment, and names the new
// one alone: "the staging database has moved to port 7001".
func (s *Sentence) moves(earlier *Sentence) bool {
	now, before := s.assignment(), earlier.assignment()
	return now.isNew && now.key() != "" && now.key() == before.key() && now.value != before.value
}

// Retires is the word that a text retires, in lower case, or empty.
func Retires(text string) string { return word(retired(text)) }

func word(r retirement, retires bool) string {
	if !retires || !isRetirable(r.word) {
		return ""
	}
	return r.word
}

// Subjects are the words of a text that a later text may retire, in lower case: names,
// and the words that it asks to use; and one key for its assignment. Statements that a text may
// supersede are looked up by the word that it Retires, and by its own assignment.
func Subjects(text string) []string {
	var found []string
	if key := assigned(text).key(); key != "" {
		found = append(found, key)
	}
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
	for _, field := range fieldsOf(text) {
		if field.Word != "" {
			made = append(made, field.Lower())
		}
	}
	return made
}

// retired finds the word that a statement retires.
func retired(text string) (retirement, bool) {
	said := lowerFields(text)
	for i := range said {
		for _, find := range []func(said []string, at int, text string) retirement{retiredValue, gone, ended, replaced} {
			if r := find(said, i, text); r.word != "" && r.word != r.by {
				return r, true
			}
		}
	}
	return retirement{}, false
}

// gone is the name or value right before a word that declares it gone: "6543 is gone", if the text
// has another value, or "`make seed` was dropped".
func gone(said []string, at int, text string) retirement {
	if !ending[said[at]] || slices.ContainsFunc(said, func(word string) bool { return hedging[word] }) {
		return retirement{}
	}
	be := at - 1
	for be >= 0 && (said[be] == "been" || said[be] == "now" || said[be] == "long") {
		be--
	}
	if be < 1 || !auxiliaries[said[be]] {
		return retirement{}
	}
	word := said[be-1]
	if !isNamed(word, text) {
		return retirement{}
	}
	if !isValue(word) {
		return retirement{word: word}
	}
	other := slices.IndexFunc(said, func(another string) bool { return isValue(another) && another != word })
	if other < 0 {
		return retirement{}
	}
	return retirement{word, said[other]}
}

// ended is the word that is declared gone at a place, without a successor.
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

// replaced is the word that is declared replaced at a place, with its successor.
func replaced(said []string, at int, text string) retirement {
	switch word := said[at]; {
	case word == "instead" && at+1 < len(said) && said[at+1] == "of":
		return retirement{nextWord(said, at+2), lastWord(said, at, text)}
	case word == "from" && slices.ContainsFunc(said[:at], func(word string) bool { return changing[word] }),
		word == "replaced", word == "replace":
		if to := slices.IndexFunc(said[at:], func(word string) bool {
			return word == "to" || word == "with" ||
				word == "by"
		}); to > 1 {
			return retirement{nextWord(said, at+1), nextWord(said, at+to+1)}
		}
	case word == "not":
		if but := slices.Index(said[at:], "but"); but > 0 && but <= 4 {
			return retirement{nextWord(said, at+1), nextWord(said, at+but+1)}
		}
	}
	return retirement{}
}

// retiredValue is the value right behind a word that declares it gone ("not 6543", "no longer listens
// on 6543", "was 6543"), where the text names another one for it.
func retiredValue(said []string, at int, _ string) retirement {
	isOver := said[at] == "not" || said[at] == "was" || said[at] == "longer" && at > 0 && said[at-1] == "no" ||
		said[at] == "used" && at+1 < len(said) && said[at+1] == "to"
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

// nextWord is the first word from a place on that is not a small one.
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

// isNamed reports whether a text writes a word as a name: in backticks, with an inner capital, or with a
// dash, dot, slash or underscore.
func isNamed(word, text string) bool {
	return strings.Contains(strings.ToLower(text), "`"+word+"`") || strings.ContainsAny(word, "_./-") ||
		strings.ContainsFunc(word, unicode.IsDigit)
}

// isObject reports whether the word at a position is the object that a statement asks to use.
func isObject(said []string, at int) bool {
	for i := at - 1; i >= 0 && i >= at-3; i-- {
		if employing[said[i]] {
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

// Rejects reports whether a person's words reject the sentence that they answer: they open as a
// rejection, or share a word of the subject with it.
func Rejects(said, answered string) bool {
	if answered == "" {
		return false
	}
	fields := lowerFields(said)
	if len(fields) > 0 && rejections[fields[0]] {
		return true
	}
	about := map[string]bool{}
	for _, word := range lowerFields(answered) {
		if len(word) >= coreWord && !anywhere[word] {
			about[strings.TrimSuffix(stemOf(word), "s")] = true
		}
	}
	for _, word := range fields {
		if len(word) >= coreWord && about[strings.TrimSuffix(stemOf(word), "s")] {
			return true
		}
	}
	return false
}
