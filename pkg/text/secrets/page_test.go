package secrets

import (
	"fmt"
	"strings"
	"testing"
)

// TestThePageOfRules holds pkg/text/secrets/rules/words.md to the rows that it is made of.
func TestThePageOfRules(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# What counts as a secret

For users who want to know why a text was redacted: all words and forms by which secrets are recognised. What is
done with them, and how well, is in [secrets.md](../../../../docs/secrets.md); how to change a row, in [README.md](README.md).

This page is made of the rows in pkg/text/secrets/rules by ` + "`go test ./pkg/text/secrets -update`" + `.
`)
	section(&page, "Tokens that begin with", "The rest has to look random, and not like a placeholder.", firstColumns(rows(t, "prefixes"), func(r Row) bool { return r.Column(4) != "public" }))
	section(&page, "Programs, and flags of any program", "Of these the arguments that carry a password are known.", firstColumns(rows(t, "programs"), nil))
	section(&page, "Programs that read a secret from their input", "As in `echo … | sudo -S`, `… <<< …`.", firstColumns(rows(t, "readers"), nil))
	names := rows(t, "names")
	for _, one := range [...][3]string{
		{"sure", "Names that hold secrets", "A name that ends so, with any text that may be a password or key: `DB_PASSWORD=…`, `\"apiKey\": \"…\"`."},
		{"likely", "Names that may hold secrets", "A name that ends so, with text that a machine made."},
		{"part", "Parts of names", "A name with this in it, with text that a machine made."},
		{"not", "Names that hold no secret", "A name that ends so only describes one."},
	} {
		section(&page, one[1], one[2], firstColumns(names, func(r Row) bool { return r.Column(2) == one[0] }))
	}
	keywords := append(rows(t, "keywords"), rows(t, "foreign")...)
	for _, one := range [...][3]string{
		{"password", "Words before a password", "“The … for db1 is X”, with an odd X: letters with digits or signs."},
		{"key", "Words before a key", "With an X that a machine made."},
		{"pair", "Words before a name and a password", "“… alice / X”."},
		{"number", "Words before a code", "With some digits."},
		{"phrase", "Words before the phrase of a wallet", "With twelve to twenty-four words."},
		{"not", "Words before public text", "Random text behind them is none."},
	} {
		section(&page, one[1], one[2], firstColumns(keywords, func(r Row) bool { return r.Column(2) == one[0] }))
	}
	page.WriteString("\n## Lists\n\nBy the names that they have in the program.\n\n")
	for _, r := range rows(t, "lists") {
		if r.Columns[0] != "commonPairs" {
			fmt.Fprintf(&page, "- %s: ``%s``\n", r.Columns[0], strings.Join(r.Columns[1:], " | "))
		}
	}
	if n := strings.Count(page.String(), "\n"); n > 200 {
		t.Errorf("pkg/text/secrets/rules/words.md has %d lines, want at most 200", n)
	}
	held(t, "rules/words.md", []byte(page.String()))
}

// firstColumns are the first columns of the rows that are wanted.
func firstColumns(all []Row, isWanted func(Row) bool) []string {
	var some []string
	for _, r := range all {
		if isWanted == nil || isWanted(r) {
			some = append(some, r.Columns[0])
		}
	}
	return some
}

func section(page *strings.Builder, title, text string, words []string) {
	fmt.Fprintf(page, "\n## %s\n\n", title)
	if text != "" {
		fmt.Fprintf(page, "%s\n\n", text)
	}
	for i, word := range words {
		if i > 0 {
			page.WriteString(" ")
		}
		if strings.Contains(word, "`") {
			fmt.Fprintf(page, "`` %s ``", word)
		} else {
			fmt.Fprintf(page, "`%s`", word)
		}
	}
	page.WriteString("\n")
}
