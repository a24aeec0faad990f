package recall_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

func saidRule(id, content string, change func(*recall.Entry)) recall.Entry {
	e := note(id, content)
	e.Memory.Kind, e.Memory.Source = memory.KindConvention, memory.SourceUser
	if change != nil {
		change(&e)
	}
	return e
}

func ruled(w recall.Weights) *recall.Index {
	x := silent()
	y := recall.NewIndex(w)
	for _, m := range x.Memories() {
		y.Put(recall.Entry{Memory: m})
	}
	y.Put(saidRule("weak", "tests run in parallel", func(e *recall.Entry) { e.Memory.Importance = 0.3 }))
	y.Put(saidRule("strong", "no mocks of the database in tests", func(e *recall.Entry) { e.Memory.Importance = 0.8 }))
	y.Put(saidRule("old", "tests must not sleep", func(e *recall.Entry) {
		e.Memory.Importance = 0.7
		e.Memory.LastSeenAt = epoch.Add(-90 * 24 * time.Hour)
	}))
	y.Put(saidRule("said of a report", "the tests pass", func(e *recall.Entry) { e.Memory.Source = memory.SourceAssistant }))
	y.Put(saidRule("a task", "write the tests of the mailer", func(e *recall.Entry) { e.Memory.Kind = memory.KindTodo }))
	y.Put(saidRule("gone", "tests use the old runner", func(e *recall.Entry) { e.SupersededBy = "strong" }))
	y.Put(saidRule("docs", "the README has no badges", nil))
	return y
}

// What the user said about tests is told when tests are asked for, although the prompt
// shares one common word with it, or none.
func TestRulesAreForTheWorkThatIsAskedFor(t *testing.T) {
	x := ruled(recall.DefaultWeights())
	x.Calibrate(x.SamplePrompts())
	for text, want := range map[string][]string{
		"can you look at the last commit, can we add a test for it": {"strong", "old", "weak"},
		"write unit tests without mocks of the database":            {"strong", "old", "weak"},
		"update the documentation of the gateway":                   {"docs"},
		"are there tests for the mailer?":                           {},
		"no, don't add a test":                                      {}, // a reply
		"yes, and add a test":                                       {"strong", "old", "weak"},
		"rename the gateway":                                        {},
	} {
		q := recall.Query{Text: text, Now: epoch, Limit: 10, Unasked: true}
		if got := ids(x.Rules(q)); !slices.Equal(got, want) {
			t.Errorf("%q: told %v, want %v", text, got, want)
		}
	}
}

// The rule that shares more with the prompt comes first among equals.
func TestARuleThatFitsBetterComesFirst(t *testing.T) {
	x := recall.NewIndex(recall.DefaultWeights())
	x.Put(saidRule("a", "tests of the mailer need a fake clock", nil))
	x.Put(saidRule("b", "tests of the ledger need a real database", nil))
	q := recall.Query{Text: "add tests for the ledger", Now: epoch, Limit: 10, Unasked: true}
	if got := ids(x.Rules(q)); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("told %v", got)
	}
}

// Who repairs failing tests needs to know how they are run, more than how they are
// written.
func TestARuleForTwoTypesOfTheWorkComesFirst(t *testing.T) {
	x := recall.NewIndex(recall.DefaultWeights())
	x.Put(saidRule("written", "a test must not duplicate another test", func(e *recall.Entry) { e.Memory.Importance = 0.8 }))
	x.Put(saidRule("run", "I get failures when running the tests with make check", nil))
	for text, want := range map[string][]string{
		"can you fix the failing tests": {"run", "written"},
		"add a test for the importer":   {"written", "run"},
	} {
		if got := ids(x.Rules(recall.Query{Text: text, Now: epoch, Limit: 10, Unasked: true})); !slices.Equal(got, want) {
			t.Errorf("%q: told %v, want %v", text, got, want)
		}
	}
}

func TestRulesAreASetting(t *testing.T) {
	w := recall.DefaultWeights()
	w.RuleLines = 0
	if got := ruled(w).Rules(recall.Query{Text: "add a test", Now: epoch, Unasked: true}); len(got) > 0 {
		t.Errorf("told %v", ids(got))
	}
}

// The parts of a rule for two types of the work make its score.
func TestTheScoreOfARuleIsTheSumOfItsParts(t *testing.T) {
	x := recall.NewIndex(recall.DefaultWeights())
	x.Put(saidRule("run", "I get failures when running the tests with make check", nil))
	hits := x.Rules(recall.Query{Text: "can you fix the failing tests", Now: epoch, Limit: 10, Unasked: true, Explain: true})
	if len(hits) != 1 || len(hits[0].Why) != 3 {
		t.Fatalf("told %+v", hits)
	}
	sum, factor := 0.0, 1.0
	for _, part := range hits[0].Why {
		if strings.HasPrefix(part.Name, "x ") {
			factor *= part.Value
		} else {
			sum += part.Value
		}
	}
	if math.Abs(sum*factor-hits[0].Score) > 1e-9 {
		t.Errorf("score %v, parts %+v", hits[0].Score, hits[0].Why)
	}
}

func TestARuleIsExplained(t *testing.T) {
	x := ruled(recall.DefaultWeights())
	q := recall.Query{Text: "can we add a test for it", Now: epoch, Unasked: true}
	e := x.Explain(q, "old")
	if e.Rank != 2 || e.Silent || len(e.Why) == 0 || e.Why[0].Name != "the user's rule for tests" {
		t.Errorf("explained as %+v", e)
	}
	if e := x.Explain(q, "docs"); e.Rank != 0 || e.Reason == "" {
		t.Errorf("no rule for tests is explained as %+v", e)
	}
}
