package start

import (
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Rivals maps the id of each fact that has newer rivals to the id of the newest rival. Rivals are facts of one area whose titles
// differ only in a value, so that one of them holds. Pinned facts, todos and what a person asked for have no newer rivals.
func Rivals(facts []memory.Memory) map[string]string {
	newest := map[string]memory.Memory{}
	ordered := slices.Clone(facts)
	slices.SortStableFunc(ordered, func(a, b memory.Memory) int { return b.LastSeenAt.Compare(a.LastSeenAt) })
	newer := map[string]string{}
	for _, m := range ordered {
		frame, value := framed(m.Title)
		if value == "" || m.Kind == memory.KindTodo {
			continue
		}
		key := m.Project + "\x00" + areaOf(m) + "\x00" + frame
		by, has := newest[key]
		if !has {
			newest[key] = m
			continue
		}
		if _, other := framed(by.Title); other != value && !m.Pinned && !m.Asked {
			newer[m.ID] = by.ID
		}
	}
	return newer
}

// withoutRivals returns the facts that have no newer rival.
func withoutRivals(facts []memory.Memory) []memory.Memory {
	newer := Rivals(facts)
	return slices.DeleteFunc(slices.Clone(facts), func(m memory.Memory) bool { return newer[m.ID] != "" })
}

// leastFrame is the minimum number of words in a title beside its value.
const leastFrame = 2

// framed splits a title into its meaningful words and its one value, a number or a quotation. The value is empty if
// the title has none or several, or fewer than leastFrame words.
func framed(title string) (frame, value string) {
	var words []string
	for _, word := range strings.Fields(withQuotations(title)) {
		word = strings.Trim(word, ".,;:!?()")
		switch {
		case strings.HasPrefix(word, quotation) || strings.ContainsFunc(word, unicode.IsDigit):
			if value != "" {
				return "", ""
			}
			value = word
		case word != "" && !slices.Contains(idleWords, strings.ToLower(word)):
			words = append(words, strings.ToLower(word))
		}
	}
	if len(words) < leastFrame {
		return "", ""
	}
	return strings.Join(words, " "), value
}

var idleWords = strings.Fields("a an the is are be on at to of in now always")

// quotation marks the beginning of a word that withQuotations has made.
const quotation = "\x01"

// withQuotations joins the words of each quotation in a title into one word.
func withQuotations(title string) string {
	for _, marks := range [][2]string{{"`", "`"}, {"“", "”"}, {"\"", "\""}, {" '", "'"}, {"‘", "’"}} {
		for {
			before, rest, opens := strings.Cut(title, marks[0])
			inside, after, closes := strings.Cut(rest, marks[1])
			if !opens || !closes || inside == "" {
				break
			}
			title = before + " " + quotation + strings.Join(strings.Fields(inside), quotation) + " " + after
		}
	}
	return title
}
