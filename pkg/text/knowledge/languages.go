package knowledge

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// The tables, see rules/README.md.
var (
	//go:embed rules/lasting.txt
	lastingText string
	//go:embed rules/patterns.txt
	patternsText string
	//go:embed rules/pronouns.txt
	pronounsText string
	//go:embed rules/exceptions.txt
	exceptionsText string
	//go:embed rules/questions.txt
	questionsText string
	//go:embed rules/markers.txt
	markersText string
	//go:embed rules/remember.txt
	rememberText string
	//go:embed rules/headings.txt
	headingsText string
	//go:embed rules/everywhere.txt
	everywhereText string
)

// markers are the words that ask to keep the text after them.
var markers = memory.Each(language.Rows(markersText), func(row language.Row) marker {
	return marker{row.Columns[0], memory.Kind(row.Column(1)), row.Column(2)}
})

// marker opens a typed line. before, if any, is put in front of the kept text, which would not be understood without it.
type marker struct {
	word   string
	kind   memory.Kind
	before string
}

// openers matches words that open a sentence and may stand before a marker: "Also, ", "ok. ".
var openers = regexp.MustCompile(`(?i)^` + opener + `+`)

var opener = `(?:(?:` + column(rememberText, 2, "|") + `)(?:[,:.!，、：。–—-]+\s*|\s+))`

// asking matches a sentence that asks, with or without a question mark.
var asking = regexp.MustCompile(`(?i)^[^\p{L}¿]*` + opener + `*(?:` + column(questionsText, 1, "|") + `)(?:\P{L}|\p{Lo})|(?:` + column(questionsText, 2, "|") + `)[.!。！]*$|[?？]$`)

// heading matches a line of a few words that asks to keep each item of the list below it.
var heading = regexp.MustCompile(`(?i)^(?:[\p{L}]+ ){0,2}(?:` + column(headingsText, 1, "|") + `)(?: \p{L}+)?\s*[:：]$`)

// remembering matches a line that asks, in a language other than English or a rare form, to keep the rest of the line.
var remembering = regexp.MustCompile(`(?i)^(?:` + column(rememberText, 1, "|") + `)\s*(.+)$`)

// tasks matches the rest of a line that reminds of a task or asks: "to run the tests", "the old port?".
var tasks = regexp.MustCompile(`(?i)^(?:` + column(rememberText, 3, "|") + `)(?:\P{L}|$)|[?？](?:\s|$)`)

// column returns the i-th column of a table's rows, joined, without the rows in which it is empty.
func column(table string, i int, between string) string {
	all := memory.Each(language.Rows(table), func(row language.Row) string { return row.Column(i) })
	return strings.Join(slices.DeleteFunc(all, func(one string) bool { return one == "" }), between)
}

// everywhere matches a text that has words such as "in all my projects" at its beginning, at its end or between commas. onlyEverywhere matches a text that has
// no other words. limited matches a text that excepts projects, reports how something was, or speaks of somebody else's projects.
var everywhere, onlyEverywhere, limited = func() (said, only, without *regexp.Regexp) {
	limits := memory.Each(language.Rows(everywhereText), func(row language.Row) string { return strings.ReplaceAll(row.Column(2), "OF", "(?:"+row.Column(1)+")") })
	form := "(?:" + column(everywhereText, 1, "|") + ")"
	only = regexp.MustCompile(`(?i)^` + form + `[,.:]?$`)
	return regexp.MustCompile(`(?i)^` + form + `(?:\P{L}|\p{Lo})|, ` + form + `,|(?:^|[^\p{L}]|\p{Lo})` + form + `[.!。！]?$`), only, regexp.MustCompile("(?i)" + strings.Join(limits, "|"))
}()

// SaysEverywhere reports whether a text says that it holds in all projects of the person.
func SaysEverywhere(text string) bool {
	text = strings.TrimSpace(text)
	return everywhere.MatchString(text) && !limited.MatchString(text)
}

// rememberedAtEnd matches a line in Japanese or Korean that asks to keep what it says: in these languages the verb comes last.
var rememberedAtEnd = regexp.MustCompile(`^(.+?)(?:という?ことを|のことを|ことを|と|を)?覚えて(?:おいて)?(?:ください|下さい|ね)?[。.!！]?$|^(.+?)(?:라는 것을|다는 것을|라고|다고|을|를)? ?기억해 ?(?:줘|둬|주세요|두세요)[.!]?$`)

// askedInOtherLanguages returns the text that a line asks to keep, or "".
func askedInOtherLanguages(line string) string {
	for _, form := range []*regexp.Regexp{remembering, rememberedAtEnd} {
		if found := form.FindStringSubmatch(line); found != nil {
			asked := strings.TrimSpace(strings.Join(found[1:], ""))
			if tasks.MatchString(asked) && !endsInColon(strings.TrimSuffix(line, asked)) {
				return ""
			}
			return asked
		}
	}
	return ""
}
