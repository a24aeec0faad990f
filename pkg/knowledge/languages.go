package knowledge

import (
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/prose"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// remembering opens a line that asks to keep the rest of it: "remember that" or
// "remember:" in Chinese, Hindi, Urdu, Spanish, Portuguese, French, Arabic, Bengali, Russian,
// German, Indonesian, Japanese and Korean.
var remembering = regexp.MustCompile(`(?i)^(?:` + strings.Join([]string{
	`(?:请|請)?(?:记住|記住|记得|記得)[:：,，]?`,
	`(?:कृपया )?याद (?:रखें|रखना|रखो)(?: कि|[:,：])`,
	`(?:براہ کرم )?یاد (?:رکھیں|رکھنا|رکھو)(?: کہ|[:،,：])`,
	`(?:por favor,? )?(?:recuerda|recuerde|recordad)(?: que|:)`,
	`(?:por favor,? )?(?:lembre-se|lembra-te|lembre|lembra)(?: de)?(?: que|:)`,
	`(?:s'il te pla[iî]t,? )?(?:souviens-toi|rappelle-toi|retiens|n['’]oublie pas)(?: que| qu['’]|:| :)`,
	`(?:من فضلك )?تذك[ّ]?ر(?: أن|[:،])`,
	`মনে (?:রাখো|রাখবেন|রাখুন|রেখো)(?: যে|[:,])`,
	`(?:пожалуйста,? )?(?:запомни|запомните|помни|помните)(?:,? что|:)`,
	`(?:bitte )?(?:merk dir|merke dir|merk's dir|denk daran|denke daran)(?:,? dass|:)`,
	`(?:tolong )?(?:ingat|ingatlah)(?: bahwa|:)`,
	`(?:覚えておいて|覚えて|記憶して)(?:ください|下さい)?[:：、]`,
	`기억해\s?(?:줘|둬|주세요|두세요)?[:：]`,
}, "|") + `)\s*(.+)$`)

// rememberedAtEnd is such a request in a language whose verb comes last.
var rememberedAtEnd = regexp.MustCompile(`^(.+?)(?:という?ことを|のことを|ことを|と|を)?覚えて(?:おいて)?(?:ください|下さい|ね)?[。.!！]?$|^(.+?)(?:라는 것을|다는 것을|라고|다고|을|를)? ?기억해 ?(?:줘|둬|주세요|두세요)[.!]?$`)

// askedInOtherLanguages is the text that a line asks to keep; empty if it asks for
// nothing.
func askedInOtherLanguages(line string) string {
	for _, form := range []*regexp.Regexp{remembering, rememberedAtEnd} {
		if found := form.FindStringSubmatch(line); found != nil {
			return strings.TrimSpace(strings.Join(found[1:], ""))
		}
	}
	return ""
}

// always are the words of Chinese and Japanese rules that hold for good: always, never,
// must, forbidden, from now on. Their words are not parted, so phrases do not find them.
var (
	always  = regexp.MustCompile(`总是|總是|始终|始終|一律|从不|從不|永远|永遠|绝不|絕不|必须|必須|务必|務必|禁止|严禁|从现在起|從現在起|今后|今後|以后都|必ず|常に|決して|絶対に`)
	forOnce = regexp.MustCompile(`现在先|現在先|这次|這次|今回|暂时|暫時|[?？]$|吗[。]?$|嗎[。]?$|か[。]?$`)
)

// withoutSpaces judges a sentence of a language that parts no words.
func withoutSpaces(s prose.Sentence) (Statement, bool) {
	if !always.MatchString(s.Text) || forOnce.MatchString(s.Text) || len(s.Text) > maxSentence {
		return Statement{}, false
	}
	return Statement{Text: s.Text, Heading: s.Heading, Kind: memory.KindConvention, Salience: 0.6, Rule: ruleStanding}, true
}

// otherPhrases are phrases of rules and meanings in German, French and Spanish, by their
// names: those that are plain in one sentence. Other wordings and languages are kept in
// the cards of turns only.
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

// inOtherLanguages adds their phrases to rules.
func inOtherLanguages(rules []rule) []rule {
	for i := range rules {
		rules[i].phrases = slices.Concat(rules[i].phrases, otherPhrases[rules[i].name])
	}
	return rules
}
