package knowledge

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/rows"
)

var update = flag.Bool("update", false, "write docs/statement-rules.md anew")

// TestThePageOfRules holds docs/statement-rules.md to the rows that it is made of.
func TestThePageOfRules(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# Which sentences are kept

You get here: the rules by which sentences become memories without a model, if you want to know why one was kept. What is done with
them is in [memory-model.md](memory-model.md); how to change a row, in pkg/knowledge/rules/README.md.

This page is made of the rows in pkg/knowledge/rules by ` + "`go test ./pkg/knowledge -update`" + `. Weights of rules that agree add up; from 0.4
on a sentence is kept.
`)
	for _, one := range [...][3]string{
		{saidText, "Sentences that a person types", "weight"},
		{meantText, "Sentences that are not meant as a rule", "share of the weight that is left"},
		{concludedText, "The assistant's last words, and reports", "weight"},
	} {
		fmt.Fprintf(&page, "\n## %s\n\n| rule | kind | %s | phrases | with them | not |\n|---|---|---|---|---|---|\n", one[1], one[2])
		for _, r := range rows.Read(one[0]) {
			list := strings.ReplaceAll(strings.Join(r.List(3), ", "), "|", "/")
			fmt.Fprintf(&page, "| %s | %s | %s | %s | %s | %s |\n", r.Columns[0], r.Column(1), r.Column(2), list, strings.Join(r.Yes, "; "), strings.Join(r.No, "; "))
		}
	}
	const file = "../../docs/statement-rules.md"
	if *update {
		if err := os.WriteFile(file, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(file); err != nil || string(have) != page.String() {
		t.Errorf("%s is not made of the rows as they are: go test ./pkg/knowledge -update (%v)", file, err)
	}
}
