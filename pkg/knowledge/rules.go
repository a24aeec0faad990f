package knowledge

import (
	_ "embed"
	"strconv"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The tables of rules, see rules/README.md.
var (
	//go:embed rules/said.txt
	saidText string
	//go:embed rules/concluded.txt
	concludedText string
	//go:embed rules/meant.txt
	meantText string
	//go:embed rules/markers.txt
	markersText string
	//go:embed rules/remember.txt
	rememberText string
)

// rule is one reason to keep a sentence, or to doubt that it is meant as one.
type rule struct {
	name string
	kind memory.Kind
	// weight is the confidence of the rule alone, 0 to 1. Weights of agreeing rules add
	// up.
	weight float64
}

// table has at most 32 rules. Of rules of equal weight the first wins.
type table struct {
	rules   []rule
	phrases language.Phrases // the bits of each are those of its rules
}

var (
	said      = newTable(saidText)
	concluded = newTable(concludedText)
	meant     = newTable(meantText)
)

func newTable(text string) table {
	var t table
	for i, row := range language.Rows(text) {
		weight, _ := strconv.ParseFloat(row.Column(2), 64) // a test reads each
		t.rules = append(t.rules, rule{row.Columns[0], memory.Kind(row.Column(1)), weight})
		t.phrases.Add(1<<i, row.List(3))
	}
	return t
}

// The rules that the code refers to by name.
const (
	// RuleAsked finds the text after a marker such as "Remember:".
	RuleAsked = "asked"
	// RuleHeading finds the text under a heading such as "Root cause".
	RuleHeading = "heading"
	// RuleQuestion finds the assistant's question at the end of its last words.
	RuleQuestion = "open question"
	// RuleFinding finds the first sentence about a file in a subagent's report.
	RuleFinding = "finding"
	// RuleReply finds the sentence that a bare rejection leads to.
	RuleReply = "reply"

	ruleCommand = "command"
	// The statements of these two hold for good, whatever the occasion of the sentence.
	ruleStanding = "standing"
	ruleChange   = "change"
)
