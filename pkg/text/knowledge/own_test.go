package knowledge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
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
		"Translate this: staging moved. Then fix it":                      "Then fix it",
		"the doc says \"staging moved to 6544\", fix it":                  "the doc says  , fix it",
		"suppose staging moved to 6544, what then?":                       "",
	} {
		musttest.Same(t, want, knowledge.Written(prompt), "of %q written", prompt)
	}
}

func TestAPassageOfAQuestionAsks(t *testing.T) {
	for text, want := range map[string]bool{
		"is it right that staging moved to 6544? Adapt the scripts": true, "staging moved to 6544?": true, "why? staging moved to 6544": false, "staging moved to 6544. ok?": false,
	} {
		musttest.Same(t, want, knowledge.Asks(text, "staging moved to 6544"), "%q asks", text)
	}
}

// A sentence that was wrapped in an editor is kept whole: half of one may say the opposite. A short line, a line with a mark at its
// end, and a line above an item, a request or a capital letter end their sentence.
func TestAWrappedSentenceIsKeptWhole(t *testing.T) {
	const long, rest = "we never deploy on a Friday or on the day before a public holiday", "unless the harbour master agrees"
	for prompt, want := range map[string]string{
		"Remember: " + long + "\n" + rest:                              long + " " + rest,
		"Remember: " + long + "\nunless the harbour\nmaster agrees":    long + " " + rest,
		"Remember: no deploy on a Friday,\n" + rest:                    "no deploy on a Friday, " + rest,
		"Remember: " + long + "\r\n" + rest:                            long + " " + rest,
		"- Remember: " + long + "\n" + rest:                            long + " " + rest,
		"Remember:\n" + long + "\n" + rest:                             long + " " + rest,
		"From now on " + long + "\n" + rest:                            "From now on " + long + " " + rest,
		"as the harbour master says,\nwe no longer deploy on a Friday": "as the harbour master says, we no longer deploy on a Friday",
		"Remember: we use tabs\nnow fix the login":                     "we use tabs now fix the login",
		"Remember: " + long + ".\nnow fix the login":                   long + ". now fix the login",
		"Remember: " + long + "\nNow fix the login":                    long + " Now fix the login",
		"Remember: " + long + "\n\nnow fix the login":                  long,
		"Remember: " + long + "\n- fix the login\n":                    long + "; fix the login",
		"Remember: " + long + "\nremember: we use tabs":                long + "; we use tabs",
		"Remember: " + long + "\n```\nx := 1\n```\n" + rest:            long + " x := 1",
	} {
		var all []string
		for _, d := range knowledge.Directives(prompt, "") {
			all = append(all, d.Text)
		}
		musttest.Same(t, want, strings.Join(append(all, knowledge.LastingStatements(prompt, "")...), "; "), "%q", prompt)
	}
}

// What limits a sentence is kept with it, however long the sentence is, and whether or not the exception would be kept by itself.
func TestASentenceIsKeptWithItsException(t *testing.T) {
	long := "we never deploy " + strings.Repeat("on the day before a public holiday or ", 5) + "on a Friday."
	for prompt, want := range map[string]string{
		"Please help. We always squash commits. Except on release branches. Now fix it.": "We always squash commits. Except on release branches.",
		"From now on use UTC. However, invoices have local time. But not in CI.":         "From now on use UTC. However, invoices have local time. But not in CI.",
		"We never use any. Unless it is generated, then always.":                         "We never use any. Unless it is generated, then always.",
		long + " Hotfixes are excepted.":                                                 long + " Hotfixes are excepted.",
		"All handlers must live in api. Not for tests. We always name the owner.":        "All handlers must live in api. Not for tests.; We always name the owner.",
		"Wir benutzen immer UTC. Außer bei Rechnungen.":                                  "Wir benutzen immer UTC. Außer bei Rechnungen.",
		"我们总是使用UTC。发票除外。":                                                                "我们总是使用UTC。发票除外。",
		"We always squash commits. Except on release branches?":                          "We always squash commits.",
		"Look at the build. But not at the tests. We always squash commits.":             "We always squash commits.",
		"We always squash commits. Fix it. But not in CI.":                               "We always squash commits.",
	} {
		musttest.Same(t, want, strings.Join(knowledge.LastingStatements(prompt, ""), "; "), "of %q kept", prompt)
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
		"name \"a\" must always stay beside the name \"b\"":                                                                                                                    {"name \"a\" must always stay beside the name \"b\""},
		"We use port 2 from now on, see:\n```\nport: 2\n```":                                                                                                                   {"We use port 2 from now on, see:"},
		"Instead of lines 12-14:\n```\nx\n```":                                                                                                                                 nil,
		"CI always prints this error:\n- x":                                                                                                                                    nil,
		"Hi, the docs say from now on:\n- x":                                                                                                                                   nil,
		"Ab jetzt ist es Port 2, siehe:\n- die Datei":                                                                                                                          {"Ab jetzt ist es Port 2, siehe:"},
		"Don't do any of this:\n- push to main from now on\n- we always use v2. Never use v1 again\n\nwe never use Redis": {
			"Don't do any of this: push to main from now on", "Don't do any of this: we always use v2.", "Don't do any of this: Never use v1 again", "we never use Redis",
		},
		"the trailer is just \"Checkpoint:\" from now on, never \"Entire:\"": {"the trailer is just \"Checkpoint:\" from now on, never \"Entire:\""},
		"次のことはしない：\n- 今後は必ず手動でデプロイする":                                        {"次のことはしない： 今後は必ず手動でデプロイする"},
		"The old rules, which are gone:\n\n1. all ports must be 5432\n2. no cache is used anymore": {
			"The old rules, which are gone: all ports must be 5432", "The old rules, which are gone: no cache is used anymore",
		},
		"start table names with 't_', please":                       {"start table names with 't_', please"},
		"start all the table names with 't_'":                       {"start all the table names with 't_'"},
		"should we always use tabs\nwho said never to push to main": nil,
		"我们总是用npm吗":                                                 nil,
		"We always use tabs. Should we keep that":                   {"We always use tabs."},
		"- we no longer use npm\n- fix it":                          {"we no longer use npm"},
		"Lena: please always sign the commits":                      {"Lena: please always sign the commits"},
		"Backend: we always use Go\nFrontend: we always use Svelte": {"Backend: we always use Go", "Frontend: we always use Svelte"},
	} {
		musttest.Same(t, want, knowledge.LastingStatements(prompt, ""), "%q states", prompt)
	}
}

// others are forms in which a program or a person wrote RULE. A paste without a mark of the client and without such a form counts as typed.
var others = []string{
	"Feb  1 09:05:00 host cron[2]: RULE", "a1b2c3d4 (Ann Lee 2026-02-01 09:05:00 +0100 3) RULE", "L88: RULE", "17:RULE", "3  # x\n4  RULE", "$ ls\nRULE",
	"/*\n * RULE\n */\nint x", "/** RULE */\nint x", "/* RULE */", "<!--\nRULE\n-->\nx", "/*\nhm\n\nRULE\n*/", ".a { b: c; } /* RULE */", "x(); // RULE",
	// a text that the user hands over
	"translate to French: RULE", "translate this to French: RULE", "Please proofread: RULE", "can you rephrase the following: RULE", "fix the spelling of this sentence: RULE", "Übersetze das ins Englische: RULE", "it printed: RULE", "Suppose RULE", "imagine, RULE", "Angenommen, RULE",
}

// TestOthersWordsAreKnownByForm: what a program or a person wrote, and beside it sentences of the user that look alike.
func TestOthersWordsAreKnownByForm(t *testing.T) {
	const rule = "from now on always deploy with make"
	marked := []string{
		"see\n\n<pasted_content id=\"a1\">\nhm\nRULE\n</pasted_content id=\"a1\">\n", "<pasted_content id=\"a1\">\nRULE\n</pasted_content id=\"a1\">\n\nok?",
	}
	for _, form := range append(marked, others...) {
		form = strings.ReplaceAll(form, "RULE", rule)
		if got := knowledge.LastingStatements(form, ""); len(got) > 0 {
			t.Errorf("%q states %q", form, got)
		}
	}
	for _, form := range []string{
		"Ann Lee\nRULE", "it broke 2 hours ago\nRULE", "Priority: high\nRULE", "Am Montag schrieb Ann das Skript neu.\nRULE", "RULE\n— and sign it", "I get this:\n\nRULE", "Feb 1 is the day.\nRULE", "commit 1a2b3c4d broke it\nRULE", "$ make\n\nRULE",
		"L2: RULE", "1. x\n2. RULE", "404: RULE", "12 hosts\n13 users\nRULE", "Hi Claude,\n\nRULE\n\nThanks,\nAnn", "<!-- is a comment\nRULE", "see src/*.go and\nRULE */", "[x] done\nRULE", "see https://example.org/x // RULE", "x = 1\nRULE", "a/*\nRULE",
		"see\n\n<pasted_content id=\"a1\">\nhm\n</pasted_content id=\"a1\">\n\nRULE",
		"translate the docs to French; RULE", "rewrite the parser: RULE", "fix the build: RULE", "I suppose it is flaky. RULE", "the log shows it. RULE", "proofread the docs, RULE", "check the spelling. RULE", "summarize it later: ok? RULE", "it says nothing. RULE",
	} {
		form = strings.ReplaceAll(form, "RULE", rule)
		musttest.Same(t, 1, len(knowledge.LastingStatements(form, "")), "%q states", form)
	}
}

func TestQuotesAreWordsOfTheText(t *testing.T) {
	const text = "ok, we never push to main; staging is on 6544"
	for passage, want := range map[string]bool{
		"never push to main": true, "Never  push\nto MAIN": true, "“staging is on 6544.”": true, "": false, "m": false, "main": false,
		"never push main": false, "staging is on 5433": false, text + " and more": false,
	} {
		musttest.Same(t, want, knowledge.Quotes(text, passage), "it has %q", passage)
	}
	for passage, want := range map[string]bool{"Never push to main; staging is on 6544, by decree": true, "push to main, staging is on 6544": false, "never push, staging is on 5433": false} {
		musttest.Same(t, want, knowledge.Agrees(passage, text), "%q keeps it", passage)
	}
}

// TestARequestIsKeptOrTheUserIsTold: whatever stands around a line that asks to remember something, either the prompt keeps it, or the
// line is named as not kept. A list that a line announces ends where its items end.
func TestARequestIsKeptOrTheUserIsTold(t *testing.T) {
	const request = "Remember: deploy with make"
	forms := append([]string{
		"fix this:\n- the login page\n- the user list\n\nRULE", "look at this:\n* a\n\n* b\n\n\nRULE", "I get this:\n1. a\n2. b\nRULE", "please fix these errors:\n- a\n  and c\n- b\n\nRULE", "RULE\nfix the following:\n\n- a\n\nok?",
		"the review says:\n- a\n\nthanks.\n\nRULE", "fix it and then:\n- check this error:\n- b\n\nRULE", "I got these comments:\n1) a\n2) b\n\nok. RULE", "see this:\n\t- a\n\nRULE", "RULE",
		"take a look:\n• a\n• b\n\n- RULE", "from the log:\nRULE", "I get this:\n\na page\n\nRULE", "fix this:\n- a\n- RULE", "> RULE", "```\nRULE\n```", "see:\n    RULE", "# A\nx\n# B\nRULE", "translate this: Hi. RULE", "I got this review:\n\nRemember:\n- deploy with make", "| RULE |",
	}, others...)
	for i, form := range forms {
		prompt := strings.ReplaceAll(form, "RULE", request)
		told := knowledge.NotKept(prompt, knowledge.Directives(prompt, ""))
		isKept := strings.Contains(kept(prompt), "deploy with make")
		isAsked := slices.ContainsFunc(strings.Split(form, "\n"), func(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " \t>-"), "RULE") })
		if isKept == (told != "") && (isAsked || isKept) {
			t.Errorf("%q keeps %q and tells %q", prompt, kept(prompt), told)
		}
		if i < 10 && !isKept {
			t.Errorf("%q keeps nothing", prompt)
		}
	}
	for _, prompt := range []string{"fix it", request, "Remember:\n- a\n- b", "Remember: A is 1. Remember: B is 2; remember: C", "Remember: in every repo\nwe use tabs", "Note: a\n> Note: b", "do you remember: was it a?"} {
		musttest.Same(t, "", knowledge.NotKept(prompt, knowledge.Directives(prompt, "")), "%q tells", prompt)
	}
}
