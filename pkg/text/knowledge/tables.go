package knowledge

import (
	_ "embed" // the tables, see rules/README.md
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

var (
	//go:embed rules/lasting.txt
	lastingText string
	//go:embed rules/undivided.txt
	undividedText string
	//go:embed rules/pronouns.txt
	pronounsText string
	//go:embed rules/markers.txt
	markersText string
	//go:embed rules/remember.txt
	rememberText string
	//go:embed rules/everywhere.txt
	everywhereText string
)

// column returns the i-th column of a table's rows, joined.
func column(table string, i int, between string) string {
	var all []string
	for _, row := range language.Rows(table) {
		all = append(all, row.Column(i))
	}
	return strings.Join(all, between)
}
