// Package quarantine recognises blatant attempts to control an assistant, such as "ignore all previous
// instructions". It is a pure function of the text and uses a few patterns that match no harmless text of
// testdata/quarantine. It knows neither the author nor what happens to the text; callers never pass text that a
// user typed.
//
// A determined attacker can word around it. Text that passes is therefore injected in quotation marks, with its
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

// Reasons returns the reasons to withhold a text, in a fixed order. Nearly all texts have none.
func Reasons(text string) []string {
	text = plain(text)
	lower := strings.ToLower(text)
	var reasons []string
	for _, r := range rules {
		if slices.ContainsFunc(r.words, func(word string) bool { return strings.Contains(lower, word) }) &&
			!slices.ContainsFunc(r.patterns, func(p *regexp.Regexp) bool { return !p.MatchString(text) }) {
			reasons = append(reasons, r.name)
		}
	}
	return slices.Compact(reasons)
}

// plain returns the text on one line, without hidden characters and with quotations emptied, because a quotation
// only reports an instruction.
func plain(text string) string {
	text = strings.NewReplacer("’", "'", "‘", "'").Replace(strings.Join(strings.Fields(defuse.Visible(text)), " "))
	return quotations.ReplaceAllString(text, `""`)
}

var quotations = regexp.MustCompile("\"[^\"]{0,200}\"|“[^”]{0,200}”|`[^`]{0,200}`")

// rule is one reason to withhold a text. All its patterns must match. words is a cheap filter: a text without any
// of these lower-case words is not matched at all.
type rule struct {
	name     string
	words    []string
	patterns []*regexp.Regexp
}

// clause matches the places where an order may begin.
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
