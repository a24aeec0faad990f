package knowledge

import (
	"regexp"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// remembering opens a line that asks to keep the rest of it, in another language than
// English.
var remembering = func() *regexp.Regexp {
	var forms []string
	for _, row := range language.Rows(rememberText) {
		forms = append(forms, row.Column(1))
	}
	return regexp.MustCompile(`(?i)^(?:` + strings.Join(forms, "|") + `)\s*(.+)$`)
}()

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
func withoutSpaces(s sentence) (Statement, bool) {
	if !always.MatchString(s.Text) || forOnce.MatchString(s.Text) || len(s.Text) > maxSentence {
		return Statement{}, false
	}
	return Statement{Text: s.Text, Heading: s.Heading, Kind: memory.KindConvention, Salience: 0.6, Rule: ruleStanding}, true
}
