package distill

import (
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// rejected are the texts of a session's memories that somebody has archived or edited since: no question shows them, and
// no fact rests on them.
type rejected struct {
	texts []string // texts as the model would be shown them
	cores []english.Core
	// pattern matches these texts, and longer standing texts that contain one.
	pattern *regexp.Regexp
}

// rejectedOf returns the rejected texts. A standing text that contains one stays whole.
func rejectedOf(texts, standing []string) (r rejected) {
	if r.texts = texts; len(texts) == 0 {
		return r
	}
	var patterns []string
	for _, text := range append(slices.DeleteFunc(standing, func(text string) bool { return r.cut(text) == text }), texts...) {
		patterns = append(patterns, strings.Join(strings.Fields(regexp.QuoteMeta(text)), `\s+`))
	}
	r.cores = memory.Each(texts, english.CoreOf)
	r.pattern = regexp.MustCompile(strings.Join(patterns, "|"))
	r.pattern.Longest()
	return r
}

// cut returns a text, which must be on one line, without the rejected texts.
func (r rejected) cut(text string) string {
	for _, one := range r.texts {
		text = strings.ReplaceAll(text, one, "")
	}
	return text
}

// sentence matches a sentence or line with the space behind it.
var sentence = regexp.MustCompile(`(?s).+?(?:[.!?]\s+|\n|$)`)

// repeated returns a text of the assistant's without the sentences that say what was rejected.
func (r rejected) repeated(text string) string {
	return sentence.ReplaceAllStringFunc(text, func(one string) string {
		if said := english.CoreOf(one); slices.ContainsFunc(r.cores, func(c english.Core) bool { return c.IsContainedIn(said) }) {
			return ""
		}
		return one
	})
}

// typed returns a text of the user's without what was rejected.
func (r rejected) typed(text string) string {
	return strings.TrimSpace(r.pattern.ReplaceAllStringFunc(text, func(found string) string {
		if slices.Contains(r.texts, memory.OneLine(found)) {
			return ""
		}
		return found
	}))
}
