package start

import (
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Rivals are two facts of one area whose titles differ only in a value, so that only one of them can hold. Nobody has
// said which.
type Rivals struct{ Older, Newer memory.Memory }

// RivalsAmong pairs each fact that has newer rivals with the newest of them. Pinned facts, and facts that a person asked
// for, have no rivals: they all hold.
func RivalsAmong(facts []memory.Memory) []Rivals {
	newest := map[string]memory.Memory{}
	ordered := slices.Clone(facts)
	slices.SortStableFunc(ordered, func(a, b memory.Memory) int { return b.LastSeenAt.Compare(a.LastSeenAt) })
	var all []Rivals
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
			all = append(all, Rivals{m, by})
		}
	}
	return all
}

// withoutRivals leaves out the facts with a newer rival.
func withoutRivals(facts []memory.Memory) []memory.Memory {
	rivals := RivalsAmong(facts)
	if len(rivals) == 0 {
		return facts
	}
	return slices.DeleteFunc(slices.Clone(facts), func(m memory.Memory) bool {
		return slices.ContainsFunc(rivals, func(r Rivals) bool { return r.Older.ID == m.ID })
	})
}

// leastFrame is the fewest words that a title must have beside its value.
const leastFrame = 2

// framed splits a title into its words, without those that carry no meaning, and its one value: a number, or a quotation.
// The value is empty if there is none, or more than one.
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

// quotation begins a quotation that was made one word.
const quotation = "\x01"

// withQuotations makes one word of each quotation of a title.
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
