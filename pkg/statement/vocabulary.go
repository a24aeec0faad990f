package statement

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
)

// idle words add no meaning to a statement.
var idle = language.Set(`please just really simply actually basically kindly also currently quite very still already indeed obviously of-course generally here btw fyi`)

// small words can stand between a verb and its object, but are no objects.
var small = language.Set(`a an the our any this that these those use using have need support of on in with for to it them run call be is are was were get gets got`)

// onlyThis negates everything but the word next to it.
const onlyThis = "only"

var negations = map[string]string{
	"not": "not", "no": "not", "never": "not", "cannot": "not", "neither": "not", "nor": "not", "none": "not", "nothing": "not", "avoid": "not", "dont": "not",
	"without": "without", "unless": "except", "except": "except", "only": onlyThis, "stop": "not",
}

// pole is one end of an axis with two ends.
type pole struct{ axis, sign string }

var poles = makePoles(
	[2]string{"enable", "disable"},
	[2]string{"allow permit", "forbid forbidden deny disallow prohibit ban"},
	[2]string{"include", "exclude"},
	[2]string{"true", "false"},
	[2]string{"need mandatory", "optional"},
	[2]string{"accept", "reject"},
	[2]string{"before", "after"},
	[2]string{"safe", "unsafe"},
	[2]string{"synchronous", "asynchronous"},
	[2]string{"public", "private"},
	[2]string{"maximum max", "minimum min"},
	[2]string{"increase raise", "decrease reduce lower"},
	[2]string{"first", "last"},
	[2]string{"uppercase", "lowercase"},
	[2]string{"ascending", "descending"},
	[2]string{"encrypted", "unencrypted plaintext"},
	[2]string{"stable", "unstable"},
	[2]string{"support", "unsupported"},
	[2]string{"on", "off"},
)

// makePoles maps words to their poles by stem.
func makePoles(axes ...[2]string) map[string]pole {
	made := map[string]pole{}
	for _, axis := range axes {
		name, _, _ := strings.Cut(axis[0], " ")
		for i, sign := range []string{"+", "-"} {
			for _, word := range strings.Fields(axis[i]) {
				made[stemOf(word)] = pole{"±" + name, sign}
			}
		}
	}
	return made
}

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

var directions = language.Set(`from to into onto over than instead by via before after through with`)

var (
	beForms     = language.Set(`is are was were be been being get gets got`)
	participles = language.Set(`built rebuilt kept sent run set held found made done put read cut split lost left shown drawn known led fed bound caught told spent spread sped`)
	acronyms    = language.Set(`US IT GET`)
	frameworks  = language.Set(`node.js next.js vue.js react.js express.js three.js nest.js d3.js`)
)

var (
	placing    = language.Set(`in under at to into inside within from`)
	placeVerbs = language.Set(`live lives is are was kept stored reside resides located found defined configured placed go goes put
		belong belongs moved sit sits written saved read loaded generated mounted set declared documented collected written`)
	numbered        = language.Set(`issue pr ticket step line code error phase chapter section pull milestone sprint task exit rule part adr rfc stage case figure`)
	rootDirectories = language.Set(`fixtures data pkg src cmd internal lib app apps test tests docs doc config configs scripts script web api build dist bin etc usr var opt
		home tmp server client services service packages modules vendor public static assets components pages tools migrations schema db infra deploy testdata gen`)
	fileEndings = language.Set(`go mod sum work ts tsx js jsx mjs cjs json jsonl yaml yml toml md txt py rs java kt c h cc cpp hpp sh bash zsh sql surql css scss html
		lock ini cfg conf xml proto csv tsv log png svg jpg gif gz zip tar tgz db sqlite tf tfvars rb php swift vue svelte env pem crt key`)
)

var units = language.Pairs(`ms:ms millisecond:ms milliseconds:ms s:s sec:s secs:s second:s seconds:s min:min mins:min minute:min minutes:min
	h:h hr:h hrs:h hour:h hours:h d:d day:d days:d week:w weeks:w month:mo months:mo year:y years:y
	b:b byte:b bytes:b kb:kb kib:kib mb:mb mib:mib gb:gb gib:gib tb:tb kilobytes:kb megabytes:mb megabyte:mb gigabytes:gb gigabyte:gb
	%:% percent:% per-cent:% px:px k:k m:m x:x times:x`)

var spelled = language.Pairs(`zero:0 two:2 three:3 four:4 five:5 six:6 seven:7 eight:8 nine:9 ten:10 eleven:11 twelve:12 fifteen:15 twenty:20
	thirty:30 forty:40 fifty:50 sixty:60 ninety:90 hundred:100 thousand:1000 twice:2x`)
