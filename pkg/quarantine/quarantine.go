// Package quarantine recognises blatant attempts to take over an assistant: "ignore all
// previous instructions" and its kin. It is a pure function of the text, by a handful of
// patterns that no harmless text of testdata/quarantine matches. It does not know who the
// author of the text and does not decide its fate. Text that a user typed is never
// judged.
//
// It protects from nobody who tries: other words pass it. A text that passes is told in
// quotation marks, with its source, and never as a rule (docs/sources.md).
package quarantine

import (
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
)

// Judge names why a text is withheld, in a fixed order; none for nearly all texts.
func Judge(text string) []string {
	text = plain(text)
	lower := strings.ToLower(text)
	var reasons []string
	for _, r := range rules {
		if slices.ContainsFunc(r.words, func(word string) bool { return strings.Contains(lower, word) }) && r.matches(text) {
			reasons = append(reasons, r.name)
		}
	}
	return slices.Compact(reasons)
}

// plain is a text on one line as it is read: without hidden characters, and without
// quotations, in which somebody tells of an instruction.
func plain(text string) string {
	text = strings.NewReplacer("’", "'", "‘", "'").Replace(strings.Join(strings.Fields(defuse.Visible(text)), " "))
	return quotations.ReplaceAllString(text, `""`)
}

var quotations = regexp.MustCompile("\"[^\"]{0,200}\"|“[^”]{0,200}”|`[^`]{0,200}`")

// rule is a reason. All its patterns have to match. A text without any of its words, in
// lower case, is not looked at: most texts have none.
type rule struct {
	name     string
	words    []string
	patterns []*regexp.Regexp
}

func (r rule) matches(text string) bool {
	return !slices.ContainsFunc(r.patterns, func(p *regexp.Regexp) bool { return !p.MatchString(text) })
}

func newRule(name string, words []string, patterns ...string) rule {
	r := rule{name: name, words: words}
	for _, pattern := range patterns {
		r.patterns = append(r.patterns, regexp.MustCompile(`(?i)`+pattern))
	}
	return r
}

// clause is where an order may begin: "a FROM line makes docker ignore all previous
// instructions" gives none.
const clause = `(?:^|[.!?:;,>*#|({\[] ?|[—–-] |\b(?:please|now|you) )`

var rules = []rule{
	newRule("drops rules", []string{"instruction", "prompt", "guideline"},
		clause+`(?:ignore|disregard|forget)(?: all| any)?(?: of)?(?: the| your| my| these)? (?:previous|prior|earlier|preceding) (?:system )?(?:instructions|prompts)\b|`+
			clause+`(?:ignore|disregard|forget) (?:all |any )?(?:of )?your (?:original |system |safety )?(?:instructions|system prompt|safety guidelines)\b`),
	newRule("drops rules", []string{"anweisungen", "instructions", "instrucciones", "指令", "指示", "инструкции"},
		`ignoriere? alle (?:vorherigen|bisherigen|früheren) anweisungen|ignore[zr]? toutes les instructions précédentes|ignora todas las instrucciones (?:anteriores|previas)|忽略(?:之前|以上|先前)(?:的)?所有(?:指令|指示)|忽略所有(?:之前|以上|先前)的?(?:指令|指示)|игнорируй все предыдущие инструкции`),
	newRule("takes over", []string{"you are now"},
		`\byou are now (?:(?-i:DAN)\b|in (?:god|jailbreak) mode\b|an (?:unrestricted|unfiltered) (?:ai|assistant|model)\b)`),
	newRule("asks for the system prompt", []string{"system prompt"},
		clause+`(?:reveal|leak|disclose|repeat)(?: me| us)? (?:all of )?your (?:full |entire |complete |hidden )?system prompt\b`),
	newRule("keeps a theft from the user", []string{"the user", "the human", "the developer"},
		`\b(?:do not|don't|never) (?:tell|inform|notify|alert|warn) the (?:user|human|developer)(?:,? (?:about|of) (?:this|it|that)\b|[.,;!)]|$)`,
		`\b(?:curl|wget|iwr)\b.{0,160}\| ?(?:sudo )?(?:ba|z)?sh\b|\b(?:send|post|upload|copy|mail)\b.{0,80}(?:id_rsa|id_ed25519|\.aws/credentials|\.netrc|\.env\b|printenv)`),
}
