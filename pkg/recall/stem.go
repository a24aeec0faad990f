package recall

import "strings"

// stem reduces a lower-case word to the stem it shares with its other forms:
// Porter's second English algorithm (https://snowballstem.org/algorithms/english/stemmer.html),
// after a table of irregular forms that no suffix rule reaches. Words that are
// not plain ASCII letters stay as they are.
func stem(word string) string {
	if base, ok := irregular[word]; ok {
		word = base
	}
	if len(word) < 3 || !isASCIIWord(word) {
		return word
	}
	if s, ok := stemExceptions[word]; ok {
		return s
	}
	return newPorter(word).run()
}

func isASCIIWord(word string) bool {
	for i := range len(word) {
		if c := word[i]; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// porter holds a word while its suffixes go; r1 and r2 are where the regions of
// that name start. A consonant y is kept as Y until the end.
type porter struct {
	w      []byte
	r1, r2 int
}

func newPorter(word string) *porter {
	p := &porter{w: []byte(word)}
	for i, c := range p.w {
		if c == 'y' && (i == 0 || isVowel(p.w[i-1])) {
			p.w[i] = 'Y'
		}
	}
	p.r1 = p.regionAfter(0)
	for _, prefix := range []string{"gener", "commun", "arsen"} {
		if strings.HasPrefix(word, prefix) {
			p.r1 = len(prefix)
		}
	}
	p.r2 = p.regionAfter(p.r1)
	return p
}

func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

// regionAfter is the position after the first non-vowel that follows a vowel.
func (p *porter) regionAfter(start int) int {
	for i := start + 1; i < len(p.w); i++ {
		if !isVowel(p.w[i]) && isVowel(p.w[i-1]) {
			return i + 1
		}
	}
	return len(p.w)
}

func (p *porter) ends(suffix string) bool { return strings.HasSuffix(string(p.w), suffix) }

func (p *porter) cut(n int) { p.w = p.w[:len(p.w)-n] }

func (p *porter) replace(suffix, by string) { p.w = append(p.w[:len(p.w)-len(suffix)], by...) }

func (p *porter) inR1(suffix string) bool { return len(p.w)-len(suffix) >= p.r1 }
func (p *porter) inR2(suffix string) bool { return len(p.w)-len(suffix) >= p.r2 }

func (p *porter) hasVowelBefore(end int) bool {
	for _, c := range p.w[:max(end, 0)] {
		if isVowel(c) {
			return true
		}
	}
	return false
}

// endsShort says that the word up to end closes with a short syllable.
func (p *porter) endsShort(end int) bool {
	if end == 2 {
		return isVowel(p.w[0]) && !isVowel(p.w[1])
	}
	if end < 3 {
		return false
	}
	last := p.w[end-1]
	return !isVowel(last) && last != 'w' && last != 'x' && last != 'Y' && isVowel(p.w[end-2]) && !isVowel(p.w[end-3])
}

func (p *porter) run() string {
	p.plural()
	if s, ok := stemAfterPlural[string(p.w)]; ok {
		return s
	}
	p.participle()
	p.finalY()
	p.derived()
	p.adjective()
	p.residual()
	p.finalEL()
	return strings.ToLower(string(p.w))
}

// plural is step 1a.
func (p *porter) plural() {
	switch {
	case p.ends("sses"):
		p.cut(2)
	case p.ends("ied"), p.ends("ies"):
		if len(p.w) > 4 {
			p.cut(2)
		} else {
			p.cut(1)
		}
	case p.ends("us"), p.ends("ss"):
	case p.ends("s") && p.hasVowelBefore(len(p.w)-2):
		p.cut(1)
	}
}

// participle is step 1b.
func (p *porter) participle() {
	for _, suffix := range []string{"eedly", "eed"} {
		if p.ends(suffix) {
			if p.inR1(suffix) {
				p.replace(suffix, "ee")
			}
			return
		}
	}
	for _, suffix := range []string{"ingly", "edly", "ing", "ed"} {
		if !p.ends(suffix) {
			continue
		}
		if p.hasVowelBefore(len(p.w) - len(suffix)) {
			p.cut(len(suffix))
			p.repair()
		}
		return
	}
}

// repair gives a word back what its participle took.
func (p *porter) repair() {
	n := len(p.w)
	switch {
	case p.ends("at"), p.ends("bl"), p.ends("iz"):
		p.w = append(p.w, 'e')
	case n > 1 && p.w[n-1] == p.w[n-2] && strings.IndexByte("bdfgmnprt", p.w[n-1]) >= 0:
		p.cut(1)
	case p.r1 >= n && p.endsShort(n):
		p.w = append(p.w, 'e')
	}
}

// finalY is step 1c.
func (p *porter) finalY() {
	n := len(p.w)
	if n > 2 && (p.w[n-1] == 'y' || p.w[n-1] == 'Y') && !isVowel(p.w[n-2]) {
		p.w[n-1] = 'i'
	}
}

// rule is one replacement; the first whose suffix fits decides.
type rule struct{ suffix, by string }

var derivedRules = []rule{
	{"ational", "ate"},
	{"fulness", "ful"},
	{"iveness", "ive"},
	{"ization", "ize"},
	{"ousness", "ous"},
	{"biliti", "ble"},
	{"lessli", "less"},
	{"tional", "tion"},
	{"alism", "al"},
	{"aliti", "al"},
	{"ation", "ate"},
	{"entli", "ent"},
	{"fulli", "ful"},
	{"iviti", "ive"},
	{"ousli", "ous"},
	{"abli", "able"},
	{"alli", "al"},
	{"anci", "ance"},
	{"ator", "ate"},
	{"enci", "ence"},
	{"izer", "ize"},
	{"bli", "ble"},
	{"ogi", "og"},
	{"li", ""},
}

// derived is step 2.
func (p *porter) derived() {
	for _, r := range derivedRules {
		if !p.ends(r.suffix) {
			continue
		}
		before := byte(0)
		if at := len(p.w) - len(r.suffix); at > 0 {
			before = p.w[at-1]
		}
		switch {
		case !p.inR1(r.suffix):
		case r.suffix == "ogi" && before != 'l':
		case r.suffix == "li" && strings.IndexByte("cdeghkmnrt", before) < 0:
		default:
			p.replace(r.suffix, r.by)
		}
		return
	}
}

var adjectiveRules = []rule{
	{"ational", "ate"},
	{"tional", "tion"},
	{"alize", "al"},
	{"icate", "ic"},
	{"iciti", "ic"},
	{"ative", ""},
	{"ical", "ic"},
	{"ness", ""},
	{"ful", ""},
}

// adjective is step 3.
func (p *porter) adjective() {
	for _, r := range adjectiveRules {
		if !p.ends(r.suffix) {
			continue
		}
		if p.inR1(r.suffix) && (r.suffix != "ative" || p.inR2(r.suffix)) {
			p.replace(r.suffix, r.by)
		}
		return
	}
}

var residualSuffixes = []string{
	"ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate",
	"iti", "ous", "ive", "ize", "ion", "al", "er", "ic",
}

// residual is step 4.
func (p *porter) residual() {
	for _, suffix := range residualSuffixes {
		if !p.ends(suffix) {
			continue
		}
		if p.inR2(suffix) {
			at := len(p.w) - len(suffix)
			if suffix != "ion" || at > 0 && (p.w[at-1] == 's' || p.w[at-1] == 't') {
				p.cut(len(suffix))
			}
		}
		return
	}
}

// finalEL is step 5.
func (p *porter) finalEL() {
	n := len(p.w)
	switch {
	case p.ends("e"):
		if p.inR2("e") || p.inR1("e") && !p.endsShort(n-1) {
			p.cut(1)
		}
	case p.ends("ll") && p.inR2("l"):
		p.cut(1)
	}
}

// stemExceptions are the algorithm's own.
var stemExceptions = map[string]string{
	"skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie",
	"idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl",
	"sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}

var stemAfterPlural = map[string]string{
	"inning": "inning", "outing": "outing", "canning": "canning", "herring": "herring", "earring": "earring",
	"proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}

// irregular leads forms that differ by more than a suffix to their base, and
// derived nouns to their verb where stripping the suffix would part the two.
var irregular = readIrregular(`
be: am is are was were been being
become: became
begin: began begun
bind: bound
bite: bit bitten
blow: blew blown
break: broke broken
bring: brought
build: built
buy: bought
catch: caught
choose: chose chosen choice choices
come: came
dig: dug
draw: drew drawn
drink: drank drunk
drive: drove driven
eat: ate eaten
fall: fell fallen
feed: fed
feel: felt
fight: fought
find: found
fly: flew flown
forget: forgot forgotten
freeze: froze frozen
get: got gotten
give: gave given
go: went gone goes
grow: grew grown growth
hang: hung
hear: heard
hide: hid hidden
hold: held
keep: kept
know: knew known
lead: led
leave: left
lend: lent
lose: lost loss
make: made
mean: meant
meet: met
pay: paid
ride: rode ridden
ring: rang rung
rise: rose risen
run: ran
say: said
see: saw seen
seek: sought
sell: sold
send: sent
shake: shook shaken
shoot: shot
show: shown
sing: sang sung
sink: sank sunk
sit: sat
sleep: slept
speak: spoke spoken
spend: spent
stand: stood
steal: stole stolen
stick: stuck
swim: swam swum
take: took taken
teach: taught
tear: tore torn
tell: told
think: thought
throw: threw thrown
understand: understood
wake: woke woken
wear: wore worn
win: won
write: wrote written
rewrite: rewrote rewritten
child: children
foot: feet
life: lives
man: men
mouse: mice
person: people
tooth: teeth
wife: wives
woman: women
index: indices indexes
vertex: vertices
good: better best
bad: worse worst
decide: decision decisions
fail: failure failures
delete: deletion deletions
depend: dependency dependencies
perform: performance
marry: marriage
`)

func readIrregular(table string) map[string]string {
	forms := map[string]string{}
	for line := range strings.Lines(table) {
		base, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		for _, form := range strings.Fields(rest) {
			forms[form] = base
		}
	}
	return forms
}
