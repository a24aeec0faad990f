package recall

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

func TestWorkAsked(t *testing.T) {
	for prompt, want := range map[string][]workType{
		"add a test for it": {"tests"},
		"can you look at the last commit, can we add a test for it":         {"tests"},
		"please review the branch and especially the new integration tests": {"tests"},
		"can we just make this proper unit tests for the method?":           {"tests"},
		"Fix the parser. Then write tests and update the README":            {"tests", "documentation"},
		"generate the changelog for 2.4":                                    {"changelog"},
		"draft release notes":                                               {"changelog"},
		"open a PR for this branch":                                         {"pull requests"},
		"bump the dependencies":                                             {"dependencies"},
		"write a migration for the new column":                              {"migrations"},
		"improve the error message of the importer":                         {"errors"},
		"fix the build":                                                 {"running checks", "continuous integration"},
		"can you fix the failing tests":                                 {"tests", "running checks"},
		"run the suite again":                                           {"running checks"},
		"how do we run the tests?":                                      {"tests", "running checks"},
		"how do we write release notes?":                                {"changelog"},
		"what form should a new page of the docs take?":                 {"documentation"},
		"should I worry about rate limits in the e2e suite?":            {"tests"},
		"are there tests for the parser?":                               nil,
		"what is the test coverage now?":                                nil,
		"why did you add a test?":                                       nil,
		"check if the client has a test mode":                           nil,
		"fix it so that the tests pass":                                 nil, // the work is the code
		"can you look at the comments on the PR?":                       nil,
		"what happens when I commit twice in a row?":                    nil,
		"which commit introduced this?":                                 nil,
		"rename the export":                                             nil,
		"it's fine to run the suite in two jobs, undo the last change":  nil,
		"drop the flag, the nightly jobs should not run in CI":          nil,
		"there's no need to write tests for the prototype":              nil,
		"don't commit it yet":                                           nil,
		"never open a pull request on your own, show me the branch":     nil,
		"please do not update the changelog":                            nil,
		"no, add a test for the empty list":                             {"tests"},
		"the check does not pass when there is no config, write a test": {"tests"},
		"": nil,
	} {
		if got := workAsked(prompt); !slices.Equal(got, want) {
			t.Errorf("%q asks for %v, want %v", prompt, got, want)
		}
	}
}

// The type of the requested work does not depend on the case of letters, and no text makes it fail.
func FuzzAsked(f *testing.F) {
	f.Add("Add tests, please.")
	f.Add("it's done. commit\nit")
	f.Add("a.b..c. \xff é'ñ -- ./")
	f.Fuzz(func(t *testing.T, text string) {
		musttest.Same(t, workAsked(text), workAsked(text), "asked twice")
		workNamed(text)
	})
}

// TestTermsAreTheSameInEachForm: a query as people type it has the terms of the word as it is written.
func TestTermsAreTheSameInEachForm(t *testing.T) {
	for written, typed := range map[string]string{
		"Smörgåsbord": "smorgasbord", "naïveté": "naivete", "GROẞE Füße": "grosse fusse", "Łódź": "lodz", "Đà Nẵng": "da nang",
		"ΔΙΑΚΟΜΙΣΤΉΣ": "διακομιστης", "שָׁלוֹם": "שלום", "مُحَمَّد": "محمد", "می\u200cخواهم": "میخواهم", "क्\u200dष": "क्ष",
		"ｓｅｒｖｅｒ": "server", "Ærø": "aero", norm.NFD.String("Übergröße"): "ubergrosse", "cœur": "coeur", "Ｃ＋＋": "c++", "Ｃ＃": "C#", "C♯": "c#", norm.NFD.String("한국어"): "한국어",
	} {
		terms := func(text string) (all []string) {
			for _, one := range tokenize(text) {
				all = append(all, one.Term)
			}
			return all
		}
		if got, want := terms(written), terms(typed); !slices.Equal(got, want) {
			t.Errorf("%q has the terms %q, %q has %q", written, got, typed, want)
		}
	}
	if a, b := tokenize("किताब"), tokenize("कताब"); a[0].Term == b[0].Term {
		t.Error("a vowel sign counts as an accent")
	}
}

// Derived returns all that the index has, as text by memory, without the slots, which depend on the order of Put.
func (x *Index) Derived() map[string]string {
	of := map[uint32][]string{}
	for term, p := range x.terms {
		for part, list := range p {
			for _, o := range list {
				of[o.slot] = append(of[o.slot], fmt.Sprint(part, term, "=", o.count))
			}
		}
	}
	for key, slots := range x.keys {
		for _, slot := range slots {
			of[slot] = append(of[slot], fmt.Sprint(key))
		}
	}
	all := map[string]string{"": fmt.Sprint(x.of)}
	for id, slot := range x.slots {
		d := &x.docs[slot]
		slices.Sort(of[slot])
		all[id] = fmt.Sprintf("%+v %q %q %q %v %v %v %q", *d.entry, d.cues, d.work, d.files, d.length, d.size, d.part, of[slot])
	}
	return all
}

// TestEveryTypeOfWorkMatchesItsExamples: a text behind "+" asks for the work, or names it behind "rule: "; a
// text behind "-" does not.
func TestEveryTypeOfWorkMatchesItsExamples(t *testing.T) {
	for _, row := range language.Rows(worksTable) {
		if strings.HasPrefix(row.Columns[0], "@") {
			continue
		}
		if len(row.Yes) == 0 || len(row.No) == 0 {
			t.Errorf("works.txt:%d: a type needs examples of + and -", row.Line)
		}
		has := func(example string) bool {
			text, isRule := strings.CutPrefix(example, "rule: ")
			if isRule {
				return slices.Contains(workNamed(text), workType(row.Columns[0]))
			}
			return slices.Contains(workAsked(text), workType(row.Columns[0]))
		}
		for _, text := range row.Yes {
			if !has(text) {
				t.Errorf("works.txt:%d: %q is not of the type", row.Line, text)
			}
		}
		for _, text := range row.No {
			if has(text) {
				t.Errorf("works.txt:%d: %q is of the type", row.Line, text)
			}
		}
	}
}

func TestSomePromptsNeedNothing(t *testing.T) {
	for text, want := range map[string]bool{
		"/review --pr 12":          true,
		"/deploy":                  true,
		"/review the parser again": false,
		"/etc/hosts has the wrong address, fix it": false,
		"no, revert that":                          true,
		"but the port is taken while it runs":      true,
		"hmm, looking at this, can't we keep it":   true,
		"are there tests for the parser?":          false,
		"can you look at the failing tests":        false,
		"I'd like a page about the parser":         false,
		"for the parser, which port is free?":      false,
	} {
		musttest.Same(t, want, needsNothing(text), "%.60q needs nothing (-want +got)", strings.ReplaceAll(text, "\n", " "))
	}
}

func TestAQuestionAsksForAnAnswer(t *testing.T) {
	for text, want := range map[string]bool{
		"why did we drop the cache?":       true,
		"What's the port of the server?":   true,
		"on which port does it listen?":    true,
		"with this, can you go on?":        false,
		"may I start the suite on my own?": true,
		"can you add a test?":              false,
		"are there tests for the parser?":  false,
		"are we closing the pool twice?":   false,
		"are mocks allowed in tests?":      true,
		"fix the cache":                    false,
		"the cache is stale, right?":       false,
	} {
		musttest.Same(t, want, isQuestion(text), "%q is a question (-want +got)", text)
	}
}
