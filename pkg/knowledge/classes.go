package knowledge

import (
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
)

// classes are the sets of words that "~name" in a phrase stands for. They go by the shape
// of a word and by lists of exceptions, because there is no dictionary.
var classes = map[string]func(word string) bool{
	"~plural":   isPlural,
	"~bare":     isNameable,
	"~lasting":  isLasting,
	"~kind":     func(word string) bool { return isNameable(word) && !observed[word] },
	"~act":      func(word string) bool { return isNameable(word) && !failing[word] },
	"~single":   func(word string) bool { return isNameable(word) && !isPlural(word) },
	"~visual":   func(word string) bool { return visual[word] },
	"~thing":    func(word string) bool { return isNameable(word) || articles[word] },
	"~artifact": func(word string) bool { return artifacts[word] || artifacts[strings.TrimSuffix(word, "s")] },
	"~place":    func(word string) bool { return places[word] || places[strings.TrimSuffix(word, "s")] },
	"~name":     func(word string) bool { return word == aName },
	"~number":   func(word string) bool { return unicode.IsDigit(rune(word[0])) },
}

// isNameable says whether a word can be a noun or a modifier that no article needs.
func isNameable(word string) bool {
	r := []rune(word)[0]
	return unicode.IsLetter(r) && len(word) > 1 && !functional[word] && !requesters[word] && !passable[word]
}

func isPlural(word string) bool {
	if len(word) < 4 || !strings.HasSuffix(word, "s") || !isNameable(word) || singular[word] || failing[strings.TrimSuffix(word, "s")] {
		return false
	}
	return !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is")
}

// isLasting says whether a word after "are" tells a lasting property rather than a
// momentary state.
func isLasting(word string) bool {
	return isNameable(word) && !strings.HasSuffix(word, "ing") && !passing[word]
}

var (
	functional = language.Set(`the a an this that these those it its he she they them their his her i im ive id ill you your youre we our were weve us my me mine some any many few several both all each every either neither
		none nothing something everything anything everyone somebody someone nobody one two three four five six seven eight nine ten first second third last next other another same such
		is are was were be been being am isnt arent wasnt werent do does did done dont doesnt didnt have has had havent hasnt hadnt having will would wont wouldnt shall should shouldnt can could cant cannot couldnt may might must mustnt
		not no nor never always only just also too very so then than as if or and but because since when while where why how what which who whose whats wheres hows there theres here heres now again still yet already once
		of in on at by for with from to into onto over under about after before between during without within through out up down off near via per like
		yes nope ok okay please thanks maybe perhaps probably actually really sure let lets wait stop hmm oh ah hey hi hello sorry guess think see seems looks sounds thats dont today yesterday tomorrow`)
	// singular are words that end like a plural and are none.
	singular = language.Set(`always perhaps sometimes besides towards afterwards news means says goes gets makes takes gives comes needs wants works runs looks seems shows sounds feels keeps lets helps happens returns contains lives belongs stays starts ends uses
		kubernetes redis postgres jenkins windows https tls aws gas sales has was does thats whats hows its series css js os dns sms ios macos rails`)
	// failing are verbs of momentary events.
	failing = language.Set(`fail fails crash crashes break breaks hang hangs work works pass passes compile compiles load loads start starts stop stops appear appears show shows open opens run runs respond responds render renders help helps look looks seem seems
		happen happens build builds finish finishes exist exists change changes react reacts update updates`)
	// passing are states that something is in for a while.
	passing = language.Set(`empty red green broken gone missing slow fast fine good great bad ok wrong right correct incorrect different identical same back ready up down full stuck flaky skipped lost late weird strange odd off visible invisible
		clean dirty stale outdated true false online offline big small huge large long short high low nice better worse similar unclear clear obvious easy hard difficult possible impossible useful useless closed open merged pushed fixed deleted removed failed passed duplicated
		cut greyed hidden displayed shown rendered aligned still also now often mostly nearly almost about all`)
	articles = language.Set(`the a an our their its every each both`)
	// artifacts are the parts of a project that have a path, a name or a command.
	artifacts = language.Set(`config configuration command point doc spec linter package branch schema migration repo repository class script flag variable file ci loader url changelog queue target helper table container header token hook template
		setting credential binary executable image bucket endpoint secret manifest lockfile pipeline workflow port module library client env test storybook formatter fixture guide generator`)
	// places are the surroundings of a program: where it is built, tested and run, and
	// who uses it.
	places = language.Set(`ci production prod staging sandbox server database db cluster api app runner site registry machine box vpn docker backup cert certificate log customer monitoring account center jenkins tablet device cluster balancer
		secret user sentry warehouse system website frontend backend infra infrastructure network redis kafka queue deploy deployment deployments host vm environment`)
	// visual are words for the look of something.
	visual = language.Set(`red blue green yellow orange black white grey gray bold italic underlined centered centred bigger smaller wider narrower larger taller shorter longer darker lighter brighter rounder aligned indented`)
	// observed are nouns in "there are no ..." that describe a moment.
	observed = language.Set(`idea clue errors error output outputs changes change rush problem problems difference differences luck response responses rows row worries worry such need results result warnings warning matches match data message messages internet network
		diff module modules question questions connection connections feedback space crash crashes way answer answers effect success hits hit doubt thanks reason reasons sign signs trace traces progress hurry pressure point objections objection issue issues
		updates update news access logs log visible more longer new use wonder harm biggie prob matter wait chance surprise complaints help sense pain stress concerns concern go thing things big test tests file files line lines entries entry record records item items
		bug bugs failure failures findings finding comment reply replies notification notifications traffic sound signal improvement improvements regressions regression sooner later worse better`)
)
