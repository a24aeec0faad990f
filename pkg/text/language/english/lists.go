package english

import (
	_ "embed"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

//go:embed lists.txt
var listsText string

var lists = readLists()

func readLists() map[string]language.Row {
	read := map[string]language.Row{}
	other := []string{"@yes ", language.Yes, "@no ", language.No, "@praise ", language.Praise, "@sighs ", language.Sighs}
	for _, row := range language.Rows(listsText) {
		row.Columns[1] = strings.NewReplacer(other...).Replace(row.Columns[1])
		other = append(other, "@"+row.Columns[0]+" ", row.Columns[1]+" ")
		read[row.Columns[0]] = row
	}
	return read
}

func list(name string) language.Row {
	row, has := lists[name]
	if !has {
		panic("there is no list " + name + " of English words")
	}
	return row
}

// List returns the words of a list as a set. It panics if there is no such list.
func List(name string) map[string]bool { return language.Set(list(name).Column(1)) }

// Phrases returns a matcher for the phrases of a list. It panics if there is no such list.
func Phrases(name string) language.Phrases { return language.NewPhrases(list(name).List(1)...) }
