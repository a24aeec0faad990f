package knowledge

import "slices"

// otherPhrases are phrases of rules and meanings in German, French and Spanish, by their
// names: those that are plain in one sentence. What is said in other ways, or languages,
// is kept in the cards of turns only.
var otherPhrases = map[string][]string{
	ruleStanding: {
		"ab jetzt", "ab sofort", "in zukunft", "künftig", "von nun an", "grundsätzlich", "immer wenn", "jedes mal wenn", "auf keinen fall", "^niemals", "^immer", "wir * nie",
		"à partir de maintenant", "dorénavant", "désormais", "à lavenir", "^toujours", "^ne * jamais", "en aucun cas", "chaque fois que", "on ne * jamais", "nous ne * jamais",
		"a partir de ahora", "de ahora en adelante", "en el futuro", "^siempre", "^nunca", "bajo ninguna circunstancia", "cada vez que",
	},
	"norm": {
		"muss", "müssen", "soll", "sollen", "sollte", "sollten", "darf|dürfen nicht|nie|kein|keine|keinen", "immer", "nie", "niemals", "bitte nicht", "bitte keine|keinen|kein", "achte darauf", "stell sicher",
		"il faut", "il ne faut", "doit", "doivent", "ne doit|doivent", "toujours", "jamais", "assure-toi", "veille à",
		"debe", "deben", "hay que", "tiene que", "tienen que", "no debe|deben", "siempre", "nunca", "asegúrate",
	},
	"practice": {
		"wir benutzen|verwenden|nutzen|schreiben|speichern|machen|haben|testen|deployen", "verwenden|benutzen|nutzen wir", "in diesem projekt", "in diesem repo", "bei uns", "standardmäßig",
		"on utilise|écrit|garde|teste", "nous utilisons|écrivons|gardons|testons", "on nutilise|nécrit pas|jamais", "dans ce projet", "dans ce dépôt", "chez nous", "par défaut",
		"usamos", "no usamos", "utilizamos", "escribimos", "guardamos", "en este proyecto", "en este repositorio", "por defecto",
	},
	"rejection": {
		"^nein", "das ist falsch", "stimmt nicht", "nicht richtig", "ich meinte", "absichtlich", "mit absicht", "so nicht",
		"^non ,", "cest faux", "ce nest pas", "pas correct", "je voulais dire", "exprès", "volontairement",
		"^no , no", "eso no es", "eso está mal", "no es correcto", "quise decir", "a propósito",
	},
	"preference": {
		"ich möchte", "ich hätte gern|gerne", "mir wäre * lieber", "lieber", "ich bevorzuge", "ich mag", "ich mag keine", "ich will keine|keinen|nicht",
		"je préfère", "je préférerais", "jaimerais", "je naime pas", "je ne veux pas", "plutôt que", "au lieu de",
		"prefiero", "preferiría", "me gustaría", "no me gusta", "no quiero", "en vez de", "en lugar de",
	},
	ruleChange: {
		"nicht mehr", "keine|keinen|kein * mehr", "heißt jetzt", "ist jetzt", "sind jetzt", "wurde entfernt", "wurde umbenannt", "wir haben * entfernt", "wir sind * umgestiegen",
		"ne * plus", "nutilise|nutilisons plus", "sappelle maintenant", "a été supprimé|supprimée|renommé|renommée", "on est passé|passés", "nous sommes passés",
		"ya no", "ahora se llama", "se eliminó", "se renombró", "fue eliminado|eliminada", "hemos migrado", "pasamos de",
	},
	"decision": {
		"wir haben uns * entschieden", "haben entschieden", "wir haben beschlossen", "beschlossen", "wir nehmen", "wir bleiben bei", "lass uns * nehmen|verwenden|bleiben",
		"on a décidé", "nous avons décidé", "on garde", "on prend", "on part sur",
		"decidimos", "hemos decidido", "vamos a usar", "nos quedamos con", "acordamos",
	},
	"reason": {"weil", "damit", "sonst", "parce que", "pour que", "sinon", "afin de", "porque", "para que", "si no"},
	momentary: {
		"jetzt nicht", "nicht jetzt", "diesmal", "noch nicht", "vorerst", "fürs erste", "erst mal", "erstmal", "in|für diesem|diesen|dieser pr|commit|branch|änderung|sitzung", "gerade nicht", "bis ich",
		"cette fois", "pour linstant", "pas encore", "pas maintenant", "dans|pour cette|ce pr|commit|branche|session", "jusquà ce que",
		"esta vez", "por ahora", "todavía no", "ahora no", "en|para este|esta pr|commit|rama|sesión", "hasta que yo",
	},
	supposed:  {"^angenommen", "stell dir vor", "wenn wir * hätten|würden|wären", "^supposons", "^imaginons", "^imagine", "si on * était|avait", "^supongamos", "^imagina", "si tuviéramos|usáramos"},
	tentative: {"vielleicht", "ich überlege", "bin nicht sicher", "peut-être", "je me demande", "quizás", "tal vez", "no estoy seguro"},
	embedded: {
		"erklär mir", "sag mir", "zeig mir", "ich frage mich", "explique", "explique-moi", "dis-moi", "montre-moi", "explica", "explícame", "dime", "muéstrame",
	},
}

// The words that open a question or a request in these languages; see askers and
// requesters. None is an English word that opens a sentence.
const (
	otherAskers = ` wie warum wieso wann wo wer welche welcher welches ist sind kann können soll sollen sollte sollten muss müssen darf dürfen gibt wird werden hast habt wurde
		est-ce quel quelle quels pourquoi où qui faut-il doit-on peut-on peux-tu pouvons-nous devons-nous as-tu qué cómo cuándo dónde cuál quién debemos deberíamos podemos es `
	otherRequesters = ` kannst könntest schau zeig erklär füge schreib prüf prüfe erstelle ändere lösche peux-tu pourrais-tu montre explique ajoute écris vérifie puedes podrías muestra explica añade agrega escribe revisa `
	otherPassable   = ` bitte also ja genau danke super nun sil te plaît merci oui alors por favor gracias sí bueno vale `
)

// inOtherLanguages adds their phrases to rules.
func inOtherLanguages(rules []rule) []rule {
	for i := range rules {
		rules[i].phrases = slices.Concat(rules[i].phrases, otherPhrases[rules[i].name])
	}
	return rules
}
