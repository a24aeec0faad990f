// Package statement parses a sentence of a memory into the words that Jaccard similarity compares and the
// values that must agree. It decides whether two statements are duplicates, or the later corrects
// the earlier. It is made for English and the way programmers write, and is pure. It has no access
// to rows, and does not decide their fate.
package statement

import (
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/sketch"
)

// Statement is a parsed text.
type Statement struct {
	words   []string   // in order
	listed  []string   // the same, with the parts of each list sorted
	set     sketch.Set // of the words and names
	names   []string   // sorted: its subjects; a different name makes a different fact
	values  []string   // in order: the values of the names (numbers, versions, places, yes or no)
	negated []string   // sorted: the words under a negation
	led     []lead     // the word that each preposition leads to
	passive bool       // whether it is in the passive voice (agent: with a "by")
	agent   bool
}

// Keys are the index keys of statements to compare with: a duplicate or an update
// shares at least one key with probability 0.994 at a similarity of 0.85, and more
// above. They depend only on the text and the salt. A text without words has none.
func (s Statement) Keys(salt uint64) []string {
	if len(s.set) == 0 {
		return nil
	}
	return sketch.Sign(s.set).Keys(sketch.Hash(s.names...) ^ salt) // texts about different names are distinct anyway
}

// Values are its numbers, versions, places and opposites, sorted.
func (s Statement) Values() []string { return sorted(s.values) }

// Similarity is the exact Jaccard similarity of the word sets, 0 to 1.
func (s Statement) Similarity(other Statement) float64 { return sketch.Jaccard(s.set, other.set) }

// lead is a preposition of direction with the word it leads to.
type lead struct{ preposition, word string }

// item is a word with its connection to the previous one.
type item struct {
	word string
	join join
}

type join int

const (
	apart join = iota
	byComma
	byAnd
)

// Parse parses a text.
func Parse(text string) Statement { return parse(fieldsOf(text)) }

func parse(fields []language.Field) Statement {
	isLower := func(f language.Field) bool { return f.Word != strings.ToUpper(f.Word) }
	p := parser{shouting: !slices.ContainsFunc(fields, isLower)}
	for i, field := range fields {
		p.next = ""
		if i+1 < len(fields) {
			p.next = fields[i+1].Lower()
		}
		p.field(field)
	}
	p.settleNegation("")
	return p.statement()
}

// fieldsOf are the fields of a text, with one way to write apostrophes, dashes and arrows.
func fieldsOf(text string) []language.Field { return language.Fields(unifier.Replace(text)) }

var unifier = strings.NewReplacer("’", "'", "—", " ", "–", "-", "→", " to ", "->", " to ", "=>", " to ", "…", " ", "\\n", " ")

type parser struct {
	items    []item
	names    []string
	places   []string // paths that give a location
	subjects []string // paths that are the subject
	values   []string
	negated  []string
	led      []lead

	next         string // next word, in lower case
	before       [2]string
	pendingJoin  join
	pendingLead  string
	leadsOn      bool // the lead goes on to one more word
	pendingNot   string
	pendingBe    bool // the previous word was a form of to be
	skipUnit     bool
	hasNegations bool
	passive      bool
	agent        bool
	shouting     bool // the whole text is in capitals
}

func (p *parser) field(field language.Field) {
	switch word := field.Word; {
	case p.skipUnit:
		p.skipUnit = false
	case acronyms[word] && !p.shouting:
		p.content(word)
	case word != "":
		p.token(field.Lower())
	}
	if field.Ends(",") && len(p.items) > 0 {
		p.pendingJoin = byComma
	}
	if field.Ends(".;") {
		p.settleNegation("")
		p.pendingJoin, p.pendingLead, p.leadsOn = apart, "", false
	}
}

func (p *parser) token(word string) {
	defer func() { p.before = [2]string{p.before[1], word} }()
	switch {
	case isOperator(word):
		p.name(word)
	case !strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
		// a mark
	case word == "and" || word == "or":
		if len(p.items) > 0 {
			p.pendingJoin = byAnd
		}
	case word == "longer" && p.before[1] == "no": // no longer is one negation
	case negations[word] != "":
		p.negation(negations[word])
	case strings.HasSuffix(word, "n't"):
		p.grammar(strings.TrimSuffix(word, "n't"))
		p.negation("not")
	case strings.HasPrefix(word, "need") && p.next == "to": // needs to be: must be
	case word == "make" && p.next == "sure":
	case word == "one" && units[p.next] != "": // one year is a year
	case isPath(word):
		p.path(word)
	case p.number(word):
	case strings.HasPrefix(word, "-") || isOperation(word):
		p.name(word)
	case p.labelled(word):
	default:
		p.plain(word)
	}
}

// plain handles words without a special meaning.
func (p *parser) plain(word string) {
	p.grammar(word)
	if pole, known := poleOf(word); known && (word != "on" || p.switched()) {
		p.values = append(p.values, pole.sign+pole.axis)
		p.content(pole.axis)
		if directions[word] { // it leads to the next word, not to itself
			p.pendingLead, p.leadsOn = word, false
		}
		return
	}
	for _, normal := range english.Words(word) {
		p.content(normal)
	}
}

// grammar notes the words that change the word order.
func (p *parser) grammar(word string) {
	switch {
	case directions[word]:
		p.pendingJoin = apart
		if _, isPole := poleOf(word); !isPole {
			p.pendingLead = word
		}
		p.agent = p.agent || (word == "by" && p.passive)
	case beForms[word]:
		p.pendingBe = true
	case p.pendingBe && len(english.Words(word)) > 0:
		p.passive = p.passive || strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "en") || participles[word]
		p.pendingBe = false
	}
}

// switched reports whether "on" is the opposite of "off" here.
func (p *parser) switched() bool {
	return strings.HasPrefix(p.before[1], "turn") || strings.HasPrefix(p.before[1], "switch") || p.next == "by"
}

// content handles a word that counts.
func (p *parser) content(word string) {
	p.items = append(p.items, item{word, p.pendingJoin})
	p.pendingJoin = apart
	p.settle(word)
}

// settle applies the pending marks to the next word that counts.
func (p *parser) settle(word string) {
	if p.pendingLead != "" {
		p.led = append(p.led, lead{p.pendingLead, word})
		// "after changing a file" is "after a file was changed", and "with the tag
		// slow" is "with the slow tag".
		p.leadsOn = !p.leadsOn && (p.pendingLead == "before" || p.pendingLead == "after" || p.pendingLead == "with")
		if !p.leadsOn {
			p.pendingLead = ""
		}
	}
	p.settleNegation(word)
}

func (p *parser) negation(kind string) {
	p.settleNegation("")
	p.pendingNot, p.hasNegations = kind, true
}

func (p *parser) settleNegation(word string) {
	if p.pendingNot == onlyThis && word == "" && len(p.items) > 0 {
		word = p.items[len(p.items)-1].word // "by maintainers only"
	}
	if p.pendingNot != "" {
		p.negated = append(p.negated, p.pendingNot+" "+word)
		p.pendingNot = ""
	}
}

func (p *parser) name(word string) {
	p.names = append(p.names, word)
	p.content(word)
}

func (p *parser) value(text string) {
	p.values = append(p.values, text)
	p.settle("#")
	p.pendingJoin = apart
}

// path classifies a path by its role in the sentence: in "logs are in var/log" it is a
// location, which can change; in "never edit gen/api.go" it is the subject.
func (p *parser) path(word string) {
	file, line, numbered := strings.Cut(strings.TrimSuffix(word, "/"), ":")
	if numbered && isDigits(line) {
		word = file
		p.values = append(p.values, "line "+line)
	}
	word = strings.TrimPrefix(strings.TrimSuffix(word, "/"), "./")
	if p.saysWhere() {
		p.places = append(p.places, word)
		p.settle("@")
		return
	}
	p.subjects = append(p.subjects, word)
	p.content(word)
}

func (p *parser) saysWhere() bool {
	verb, preposition := p.before[0], p.before[1]
	return preposition == "is" || preposition == "are" || (placing[preposition] && placeVerbs[verb])
}

// labelled handles words that end in a colon and a number: a host with its port.
func (p *parser) labelled(word string) bool {
	cut := strings.LastIndexAny(word, ":=@")
	if cut <= 0 {
		return false
	}
	if rest := strings.TrimPrefix(word[cut+1:], "v"); isVersion(rest) {
		p.plain(word[:cut])
		p.value(rest)
		return true
	}
	return false
}

// number handles numbers, versions, times and sizes. A number after a word that
// it identifies (issue 12, step 3) is part of a name.
func (p *parser) number(word string) bool {
	if digits, spelt := spelled[word]; spelt {
		word = digits
	}
	text := strings.TrimLeft(word, "~$€£<>=≥≤v^")
	bounds := strings.TrimRight(word[:len(word)-len(text)], "v~")
	if text == "" || text[0] < '0' || text[0] > '9' {
		return false
	}
	if numbered[strings.TrimSuffix(p.before[1], "s")] && isDigits(text) {
		p.name(p.before[1] + text)
		return true
	}
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != ',' })
	amount, unitName := text, ""
	if end >= 0 {
		amount, unitName = text[:end], strings.TrimLeft(text[end:], "-")
	} else if unit := units[p.next]; unit != "" {
		unitName, p.skipUnit = unit, true
	}
	if unit := units[unitName]; unit != "" {
		unitName = unit
	}
	p.value(bounds + strings.ReplaceAll(amount, ",", "") + unitName)
	return true
}

func (p *parser) statement() Statement {
	// Under a negation a path is the subject of the rule, even after "in".
	if p.hasNegations {
		p.subjects = append(p.subjects, p.places...)
		for _, place := range p.places {
			p.items = append(p.items, item{word: place})
		}
	} else {
		for _, place := range p.places {
			p.values = append(p.values, "@"+place)
		}
	}
	s := Statement{
		words: inOrder(p.items), listed: sortLists(p.items), values: p.values, negated: p.negated, led: p.led,
		passive: p.passive, agent: p.agent,
	}
	s.names = append(p.names, p.subjects...)
	s.set = sketch.Shingles(s.words, 1)
	slices.Sort(s.names)
	s.names = slices.Compact(s.names)
	slices.Sort(s.negated)
	return s
}

func inOrder(items []item) []string {
	words := make([]string, len(items))
	for i := range items {
		words[i] = items[i].word
	}
	return words
}

// sortLists sorts the parts of each list (a, b and c), whose order has no meaning.
func sortLists(items []item) []string {
	words := inOrder(items)
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && items[to].join != apart {
			to++
		}
		if items[to-1].join == byAnd {
			slices.Sort(words[from:to])
		}
		from = to
	}
	return words
}

func isOperator(word string) bool {
	switch word {
	case "!=", "==", "===", "!==", "&&", "||", "<", ">", "<=", ">=", "!":
		return true
	}
	return false
}

// isOperation reports whether the punctuation of a word carries meaning.
func isOperation(word string) bool { return strings.ContainsAny(word, "<>=!&|$^%{}[]()+") }

// isPath reports whether a word is a path or the name of a file.
func isPath(word string) bool {
	if strings.Contains(word, "://") {
		return true
	}
	if first, rest, slashed := strings.Cut(word, "/"); slashed {
		return first == "" || rest == "" || strings.HasPrefix(word, ".") || strings.HasPrefix(word, "~") ||
			strings.HasPrefix(word, "@") ||
			strings.ContainsAny(word, "._*0123456789") || strings.Count(word, "/") > 1 || roots[first]
	}
	file, _, _ := strings.Cut(word, ":")
	if strings.HasPrefix(file, ".") {
		return strings.ContainsFunc(file, unicode.IsLetter)
	}
	dot := strings.LastIndexByte(file, '.')
	return dot > 0 && fileEndings[file[dot+1:]] && !frameworks[file]
}

func isDigits(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

func isVersion(text string) bool {
	return text != "" && text[0] >= '0' && text[0] <= '9' &&
		!strings.ContainsFunc(text, func(r rune) bool { return r != '.' && r != 'x' && (r < '0' || r > '9') })
}

func sorted(texts []string) []string { return slices.Sorted(slices.Values(texts)) }
