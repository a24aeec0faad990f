package sketch

import (
	"strings"
	"unicode"
)

// Words brings a text to its normal form: lower case, without punctuation and
// without the words that carry grammar and no fact, each word reduced to its
// stem and common abbreviations and synonyms to one of them. The order stays.
// English only; words of other languages pass through in lower case.
func Words(text string) []string {
	var words []string
	for _, raw := range split(text) {
		if stopWords[raw] {
			continue
		}
		words = append(words, canonical(raw))
	}
	return words
}

// IsStopWord says whether Words leaves a word out. The word is in lower case.
func IsStopWord(word string) bool { return stopWords[word] }

func split(text string) []string {
	text = strings.Map(func(r rune) rune {
		if r == '\'' || r == '’' { // don't, it's: one word
			return -1
		}
		return unicode.ToLower(r)
	}, text)
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)
	})
}

// canonical reduces a word twice, because a synonym may be listed as it is
// written or by its stem.
func canonical(word string) string {
	if other, known := synonyms[word]; known {
		word = other
	}
	word = stem(word)
	if other, known := synonyms[word]; known {
		return stem(other)
	}
	return word
}

// stem takes off the endings of number, tense and derivation. It is light: it
// keeps at least three letters and never looks at the meaning.
func stem(word string) string {
	if len(word) <= 3 || !isASCIILetters(word) {
		return word
	}
	word = singular(word)
	for _, ending := range []string{"ing", "ed"} {
		if root, cut := strings.CutSuffix(word, ending); cut && len(root) >= 2 && strings.ContainsAny(root, "aeiouy") {
			word = undouble(root)
			break
		}
	}
	for _, ending := range []string{"ation", "ion", "ate", "ment", "ly"} {
		if root, cut := strings.CutSuffix(word, ending); cut && len(root) >= 4 {
			word = root
			break
		}
	}
	if root, cut := strings.CutSuffix(word, "e"); cut && len(root) >= 2 {
		return root
	}
	if root, cut := strings.CutSuffix(word, "at"); cut && len(root) >= 4 { // migrat(ing), as migrat(e)
		return root
	}
	return word
}

func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "ied") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "shes"):
		return word[:len(word)-2]
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		return word[:len(word)-1]
	}
	return word
}

func undouble(root string) string {
	if n := len(root); n > 2 && root[n-1] == root[n-2] && !strings.ContainsRune("lsz", rune(root[n-1])) {
		return root[:n-1]
	}
	return root
}

func isASCIILetters(word string) bool {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return false
		}
	}
	return true
}

var stopWords = setOf(`
	a an the this that these those it its there here which who whom whose what
	is are was were be been being am do does did done has have had having
	will would shall should must ought always please just also too very really simply actually
	of for in on at as and or so if when whenever while with then
	we our ours us you your yours they them their i my me he she his her
	to into from by via through over than
	currently now already
	because since due hence therefore thus
	get gets got
	e g i.e etc
`)

var synonyms = pairs(`
	db:database dbs:database repo:repository repos:repository config:configuration configs:configuration
	conf:configuration cfg:configuration configure:configuration env:environment envs:environment dir:directory
	dirs:directory folder:directory folders:directory docs:documentation doc:documentation
	document:documentation dev:development prod:production auth:authentication authenticate:authentication
	deps:dependency dep:dependency pkg:package pkgs:package params:parameter param:parameter
	args:argument arg:argument msg:message msgs:message app:application apps:application
	info:information max:maximum min:minimum temp:temporary tmp:temporary var:variable vars:variable
	func:function fn:function impl:implementation implement:implementation spec:specification
	js:javascript ts:typescript py:python postgres:postgresql k8s:kubernetes golang:go
	ran:run kept:keep wrote:write written:write built:build broke:break broken:break sent:send
	chose:choose chosen:choose found:find made:make held:hold went:go gone:go took:take taken:take
	put:place began:start begun:start thrown:throw threw:throw
	execute:run executes:run executed:run executing:run invoke:run launch:start begin:start
	utilise:use utilize:use employ:use
	remove:delete erase:delete
	modify:change alter:change
	verify:check ensure:check
	repair:fix resolve:fix
	require:need
	display:show
	large:big huge:big quick:fast rapid:fast
	reside:live locate:live located:live stored:live store:live
	autogenerated:generate
	colour:color behaviour:behavior
`)

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

func pairs(list string) map[string]string {
	made := map[string]string{}
	for _, pair := range strings.Fields(list) {
		from, to, _ := strings.Cut(pair, ":")
		made[from] = to
	}
	return made
}
