package sketch

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
)

// Words brings a text to its normal form: lower case, without punctuation and
// without the words that carry grammar and no fact, each word reduced to its
// stem and common abbreviations and synonyms to one of them. The order stays.
// English only; words of other languages pass through in lower case.
func Words(said string) []string {
	var words []string
	for _, raw := range (language.Splitter{}).List(said) {
		switch {
		case stopWords[raw]:
		case expansions[raw] != nil:
			words = append(words, expansions[raw]...)
		default:
			words = append(words, canonical(raw))
		}
	}
	return words
}

// canonical reduces a word to its stem, and that to the stem of its synonym.
func canonical(word string) string {
	word = stem(word)
	if other, known := synonyms[word]; known {
		return other
	}
	return word
}

// stem takes off the endings of number, tense and derivation. It is light: it
// keeps at least three letters and never looks at the meaning.
func stem(word string) string {
	if regular, known := irregular[word]; known {
		word = regular
	}
	if len(word) <= 3 || !isASCIILetters(word) {
		return word
	}
	word = singular(word)
	if word == "embed" { // the only common word whose root ends like a past
		return word
	}
	word = withoutPast(word)
	if root, cut := strings.CutSuffix(word, "ically"); cut {
		return root + "ic"
	}
	if root, cut := strings.CutSuffix(word, "ily"); cut && len(root) >= 3 {
		return root + "y"
	}
	if len(word) > 5 && strings.HasSuffix(word, "ll") { // control(l)ed, instal(l)
		word = word[:len(word)-1]
	}
	word = withoutNoun(word)
	if root, cut := strings.CutSuffix(word, "e"); cut && len(root) >= 3 {
		return root
	}
	if root, cut := strings.CutSuffix(word, "at"); cut && len(root) >= 4 { // migrat(ing), as migrat(e)
		return root
	}
	return word
}

// withoutPast is a word without "ing" or "ed".
func withoutPast(word string) string {
	for _, ending := range []string{"ing", "ed"} {
		if root, cut := strings.CutSuffix(word, ending); cut && len(root) >= 3 && root[len(root)-1] != 'e' && strings.ContainsAny(root, "aeiouy") {
			return undouble(root)
		}
	}
	return word
}

// withoutNoun is a word without one of the endings that make nouns, verbs and adverbs.
func withoutNoun(word string) string {
	for _, ending := range []string{"ation", "ion", "ate", "ment", "ly"} {
		if root, cut := strings.CutSuffix(word, ending); cut && len(root) >= 4 {
			return root
		}
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
	if n := len(root); n > 3 && root[n-1] == root[n-2] && !strings.ContainsRune("lsz", rune(root[n-1])) {
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

var stopWords = language.Set(`
	a an the this that these those it its there here which who whom whose what
	is are was were be been being am do does did done has have had having
	will would shall should must ought can able always please just also too very really simply actually
	of for in on at as and or so if when whenever while with then each every all
	we our ours us you your yours they them their i my me he she his her
	to into onto from by via through over than inside within upon during about per both
	use uses used using utilise utilises utilize utilizes remember
	currently now already still ever anymore
	because since due hence therefore thus
	get gets got getting contain contains containing happen happens happening occur occurs performed come comes coming came sure
	eg ie etc
`)

// irregular holds the forms that no ending gives away.
var irregular = language.Pairs(`
	ran:run kept:keep wrote:write written:write built:build broke:break broken:break sent:send
	chose:choose chosen:choose found:find made:make held:hold went:go gone:go took:take taken:take
	began:begin begun:begin thrown:throw threw:throw shown:show given:give gave:give
	lost:lose left:leave meant:mean led:lead fed:feed hidden:hide hid:hide drawn:draw drew:draw seen:see saw:see
	known:know knew:know bound:bind caught:catch dealt:deal stood:stand frozen:freeze froze:freeze
	indices:index indexes:index apis:api emojis:emoji uris:uri clis:cli wikis:wiki guis:gui menus:menu cpus:cpu gpus:gpu
	sped:speed rebuilt:rebuild rewritten:rewrite rewrote:rewrite resent:resend reran:rerun overwritten:overwrite overridden:override
	decision:decide decisions:decide preference:prefer preferences:prefer delivery:deliver deliveries:deliver removal:remove
	approval:approve choice:choose choices:choose analysis:analyse proposal:propose renewal:renew arrival:arrive
`)

// expansions holds words that stand for several: abbreviations, and nouns made of a verb
// and its particle, which are as often written as two.
var expansions = map[string][]string{
	"pr": {"pull", "request"}, "prs": {"pull", "request"}, "mr": {"merg", "request"}, "mrs": {"merg", "request"},
	"rollback": {"roll", "back"}, "rollbacks": {"roll", "back"}, "fallback": {"fall", "back"}, "fallbacks": {"fall", "back"},
	"setup": {"set", "up"}, "setups": {"set", "up"}, "cleanup": {"clean", "up"}, "cleanups": {"clean", "up"},
	"backup": {"back", "up"}, "backups": {"back", "up"}, "lookup": {"look", "up"}, "lookups": {"look", "up"},
	"timeout": {"tim", "out"}, "timeouts": {"tim", "out"}, "shutdown": {"shut", "down"}, "startup": {"start"},
}

// synonyms maps stems to the stem of the word that stands for all of them.
var synonyms = stemmed(`
	db:database repo:repository config:configuration conf:configuration cfg:configuration configure:configuration
	env:environment dir:directory folder:directory doc:documentation document:documentation dev:development
	prod:production auth:authentication authenticate:authentication dep:dependency pkg:package
	param:parameter arg:argument msg:message app:application info:information temp:temporary tmp:temporary
	var:variable func:function fn:function impl:implementation implement:implementation spec:specification
	js:javascript ts:typescript py:python postgres:postgresql k8s:kubernetes golang:go
	execute:run invoke:run launch:start begin:start
	remove:delete erase:delete modify:change alter:change verify:check ensure:check repair:fix resolve:fix
	require:need display:show large:big huge:big quick:fast rapid:fast reside:live locate:live store:live
	autogenerate:generate colour:color behaviour:behavior licence:license
`)

func stemmed(list string) map[string]string {
	made := map[string]string{}
	for from, to := range language.Pairs(list) {
		made[stem(from)] = stem(to)
	}
	return made
}
