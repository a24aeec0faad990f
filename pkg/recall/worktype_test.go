package recall

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
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

func TestWorkNamed(t *testing.T) {
	for text, want := range map[string][]workType{
		"no mocks in integration tests":                        {"tests"},
		"keep commit messages under 50 characters":             {"commits"},
		"never commit to main":                                 {"commits"},
		"each entry of the changelog is one sentence":          {"changelog"},
		"PRs are opened as drafts, with tests":                 {"tests", "pull requests"},
		"the docs in docs/api.md are generated":                {"documentation"},
		"we don't add a library for a function of ten lines":   {"dependencies"},
		"before a push run `task ci`, then `mise run test:ci`": {"tests", "running checks", "continuous integration"},
		"use pytest -x, never the whole suite":                 {"running checks"},
		"the trailer is on both commits":                       nil,
		"money is kept in cents":                               nil,
	} {
		if got := workNamed(text); !slices.Equal(got, want) {
			t.Errorf("%q names %v, want %v", text, got, want)
		}
	}
}

// The type of the requested work does not depend on the case of letters, and no text makes it fail.
func FuzzAsked(f *testing.F) {
	f.Add("Add tests, please.")
	f.Add("it's done. commit\nit")
	f.Add("a.b..c. \xff é'ñ -- ./")
	f.Fuzz(func(t *testing.T, text string) {
		if diff := cmp.Diff(workAsked(text), workAsked(text)); diff != "" {
			t.Error(diff)
		}
		workNamed(text)
	})
}
