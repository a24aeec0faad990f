// Package quarantine recognises blatant attempts to control an assistant: "ignore all previous instructions" and
// its kin. It is a pure function of the text, by a handful of patterns that match no harmless text of
// testdata/quarantine. It does not consider the author of the text and does not decide its fate. Text that a
// user typed is never judged.
//
// It stops no determined attacker: other words pass it. A text that passes is injected in quotation marks, with its
// source, and never as a rule (docs/memory-model.md).
package quarantine

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
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

// plain is a text on one line as it is read: without hidden characters, and without quotations, in which somebody
// only reports an instruction.
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

// clause is where an order may begin.
const clause = `(?:^|[.!?:;,>*#|({\[] ?|[—–-] |\b(?:please|now|you) )`

//go:embed attacks.txt
var table string

var rules = func() (all []rule) {
	for _, row := range language.Rows(strings.ReplaceAll(table, "@clause", clause)) {
		r := rule{name: row.Columns[0], words: row.List(1)}
		for _, pattern := range row.Columns[2:] {
			r.patterns = append(r.patterns, regexp.MustCompile(`(?i)`+pattern))
		}
		all = append(all, r)
	}
	return all
}()
