package knowledge_test

import (
	"slices"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

func TestWrittenIsNeitherPastedNorQuoted(t *testing.T) {
	for prompt, want := range map[string]string{
		"staging moved to 6544.\nAdapt the scripts":                       "staging moved to 6544. Adapt the scripts",
		"Max wrote:\n\n> staging moved to 6544":                           "Max wrote:",
		"see this:\n```\nstaging moved to 6544\n```":                      "see this:",
		"<task-notification>staging moved to 6544</task-notification>":    "",
		"Implement the following plan:\n\nstaging moves to 6544, so wait": "",
		"/deploy staging moved to 6544":                                   "staging moved to 6544",
		"see <task-notification> in a.go\nstaging moved to 6544":          "see <task-notification> in a.go staging moved to 6544",
		"it sent <task-notification>staging\nmoved</task-notification>":   "",
	} {
		if got := knowledge.Written(prompt); got != want {
			t.Errorf("of %q written is %q, want %q", prompt, got, want)
		}
	}
}

func TestStatementsAreNeitherPrintedNorPasted(t *testing.T) {
	const warning = "Another build is running.\n\nTo wait for it instead, stop this one and run: forge attach 17\n\n"
	const suffix = "Likewise, for column names, ensure that they end with the suffix '_r'. "
	const reason = ", because the keepers of the second harbour moved it together with its gates, and the old one is closed for everybody since Monday morning, also for guests"
	for prompt, want := range map[string][]string{
		"From now on the mail is at gate 6" + reason:                                                                               {"From now on the mail is at gate 6" + reason},
		"Ab jetzt ist die Post am Tor 6" + reason:                                                                                  {"Ab jetzt ist die Post am Tor 6" + reason},
		"All times must always be stored in UTC" + reason + ".":                                                                    {"All times must always be stored in UTC" + reason + "."},
		"fix this:\n\nAll times must always be stored in UTC" + reason + ".":                                                       nil, // beside what to do with it
		"why this?\n\n" + warning + "To see no such warnings, run:\n  forge quiet\n":                                               nil, // with indented lines
		"why this?\n\n" + warning + "- forge quiet":                                                                                {"To wait for it instead, stop this one and run: forge attach 17"},
		suffix + "The convention tells the columns of a report from the columns that nobody reads, at one glance and in any tool.": {"Likewise, for column names, ensure that they end with the suffix '_r'."},
		"The suffix must be long enough. The convention tells the columns of a report from the columns that nobody reads, at one glance and in any tool, or in a plain print.": nil, // has no speaker
		"Eve wrote \"We deploy. We never push to main on Fridays. Bye.\" Ok?":                                                                                                  nil,
		"Eva schrieb: „Ab jetzt deployen wir immer von Hand.“":                                                                                                                 nil,
		"Eve a écrit « Désormais on déploie toujours à la main. »":                                                                                                             nil,
		"老板说：「以后一律手动部署，不要自动部署」":                                                                                                                                                nil,
		"PM: we always deploy by hand.\nDev: ok":                                                                                                                               nil,
		"Eve Miller: we always deploy by hand.\nBob: fine\nEve Miller: ok":                                                                                                     nil,
		"10:32 <eve> we always deploy by hand":                                                                                                                                 nil,
		"name \"a\" must always stay beside the name \"b\"":                                                                                                                    {"name \"a\" must always stay beside the name \"b\""},
		"Lena: please always sign the commits":                                                                                                                                 {"Lena: please always sign the commits"},
		"Backend: we always use Go\nFrontend: we always use Svelte":                                                                                                            {"Backend: we always use Go", "Frontend: we always use Svelte"},
	} {
		if got := knowledge.LastingStatements(prompt, ""); !slices.Equal(got, want) {
			t.Errorf("%q states %q, want %q", prompt, got, want)
		}
	}
}

func TestQuotesAreWordsOfTheText(t *testing.T) {
	const text = "ok, we never push to main; staging is on 6544"
	for passage, want := range map[string]bool{
		"never push to main": true, "Never  push\nto MAIN": true, "“staging is on 6544.”": true, "": false, "m": false, "main": false,
		"never push main": false, "staging is on 5433": false, text + " and more": false,
	} {
		if got := knowledge.Quotes(text, passage); got != want {
			t.Errorf("it has %q: %t", passage, got)
		}
	}
	for passage, want := range map[string]bool{
		"Never push to main; staging is on 6544, by decree": true, "push to main, staging is on 6544": false, "never push, staging is on 5433": false,
	} {
		if got := knowledge.Agrees(passage, text); got != want {
			t.Errorf("%q keeps it: %t", passage, got)
		}
	}
}
