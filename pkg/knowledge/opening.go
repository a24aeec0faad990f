package knowledge

import (
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
)

// The words that open a question or a request in German, French and Spanish; see askers
// and requesters. None is an English word that opens a sentence.
const (
	otherAskers = ` wie warum wieso wann wo wer welche welcher welches ist sind kann können soll sollen sollte sollten muss müssen darf dürfen gibt wird werden hast habt wurde
		est-ce quel quelle quels pourquoi où qui faut-il doit-on peut-on peux-tu pouvons-nous devons-nous as-tu qué cómo cuándo dónde cuál quién debemos deberíamos podemos es `
	otherRequesters = ` kannst könntest schau zeig erklär füge schreib prüf prüfe erstelle ändere lösche peux-tu pourrais-tu montre explique ajoute écris vérifie puedes podrías muestra explica añade agrega escribe revisa `
	otherPassable   = ` bitte also ja genau danke super nun sil te plaît merci oui alors por favor gracias sí bueno vale `
)

// aName stands for a path, a command or an identifier among the tokens of a sentence. It
// is a letter that nobody types.
const aName = "ǀ"

// isBare says whether a correction names nothing: "no no no, that's not what I meant".
func isBare(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !bare[word] && !passable[word] })
}

var bare = language.Set(language.No + `not isnt wasnt doesnt dont didnt wrong right correct true false what how why i ive you we it its that thats this these those they a an the is was are were be been do does did
	meant mean meaning thought think said say asked ask wanted want work works working stop wait actually really just only at all again still still window tab chat terminal session project
	bad good idea wrong one my your me undo revert told need file files port folder name branch place approach`)

// opening is the index of the first word after the openers of a sentence. A word that a
// rule expects at the start is no opener.
func opening(words []string) int {
	start := 0
	for start < len(words) && passable[words[start]] {
		start++
	}
	return start
}

var passable = language.Set(language.Yes + language.Praise + language.Sighs + `well so and also right please sorry now then um , : ! ?` + otherPassable)

// withoutOpener cuts the words that only tie a sentence to the one before: "ok, so we
// never ..."
func withoutOpener(text string) string {
	rest := openers.ReplaceAllString(text, "")
	if strings.HasPrefix(rest, "that ") || len(strings.Fields(rest)) < minWords { // "so that ..."
		return text
	}
	return rest
}

var openers = regexp.MustCompile(`(?i)^((and|also|so|ok|okay|oh|hmm?|yes|yeah|yep|yup|btw|by the way|fyi)[,.!:]* +|(well|right|great|thanks|cool|perfect|nice|sure)[,.!:]+ +)+`)

var (
	askers     = language.Set(`what why how when where which who whats wheres hows can could would will do does did is are was were should has have may shall am isnt arent doesnt dont didnt cant couldnt wouldnt shouldnt any must` + otherAskers)
	tailWords  = language.Set(language.Yes + `right correct or no true agree`)
	requesters = language.Set(`can could would please help let give show explain check look review write add fix run create make update implement change remove rename move revert commit push merge rebase search undo open try do go find list read tell take` + otherRequesters)
)
