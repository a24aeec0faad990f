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
		"here is a mail about the days on which nobody is allowed to deploy\nthis week, Eve wrote:\nwe never deploy on a Friday": "",
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
		"PM: we always deploy by hand.\nDev: ok":                                                                                                                               nil,
		"Eve Miller: we always deploy by hand.\nBob: fine\nEve Miller: ok":                                                                                                     nil,
		"10:32 <eve> we always deploy by hand":                                                                                                                                 nil,
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

// others are forms in which a program or a person wrote RULE, as they look where people copy them from.
var others = []string{
	// a person with a time or a handle
	"Ann Lee, [01.02.2026 9:05]\nRULE", "Bob [2026-02-01 09:05]\nRULE", "bob_r, [1 Feb 2026 9:05:11]:\nhm\nRULE", "Ann Lee @ann · 3 days ago\nRULE", "Ann @ann-lee • 5m\nRULE", "ann 3 hours ago | root | next\nRULE", "u/ann_lee\n3h ago\nRULE", "u/ann · 2d\nRULE", "edited Feb 1 at 9:05\nAnn\n12.3k\nRULE", "asked Feb 1, 2026 at 9:05\nRULE",
	// an answered or forwarded message
	"-----Original Message-----\n\nRULE", "----- Original message -----\nhi\n\nRULE", "---------- Forwarded message ----------\nSubject: x\n\nRULE", "-----Ursprüngliche Nachricht-----\nRULE", "-------- Weitergeleitete Nachricht --------\nRULE", "----- Mensaje original -----\nRULE",
	"Am 1. Februar 2026 schrieb Ann Lee:\nRULE", "Am Mo., 1. Feb. 2026 um 09:05 schrieb Ann <a@b.org>:\n\nRULE", "Op 1 feb 2026 om 9:05 schreef Ann:\nRULE", "Den 1. feb. 2026 kl. 9.05 skrev Ann:\nRULE", "Il 1 feb 2026 ha scritto Ann:\nRULE",
	// a name below
	"RULE\n— Ann", "RULE\n-- Ann Lee", "we met.\nRULE\n― Ann Lee, CTO", "RULE\n– Ann\n\nok?",
	// a ticket
	"OPS-7 Deploys\nPriority: high\nRULE", "WEB2-1401: Deploys\nReporter: Ann\n\nRULE", "#88 Deploys\nAssignee: Ann\nRULE",
	// rows of programs
	"Feb  1 09:05:00 host cron[2]: RULE", "1a2b3c4d RULE\nabcdef1 fix it", "log\n1234567 RULE\n7654321 fix it", "a1b2c3d4 (Ann Lee 2026-02-01 09:05:00 +0100 3) RULE", "id;rule\n7;RULE\n8;x", "1,RULE\n2,x\n3,y",
	// a terminal: the prompt names the user, machine, folder or branch
	"ann@web1:~$ cat x\nRULE", "root@web1:/srv# ls\nRULE", "[ann@web1 shop]$ ls\nRULE", "ann@web1 ~ % ls\nRULE", "➜  shop git:(main) ✗ ls\nRULE", "➜  ~ ls\nRULE", "shop git:(main) ls\nRULE", "(venv) ann@web1:~/shop$ ls\nRULE", "(base) $ ls\nRULE", "web1% ls\nRULE", "bash-5.1$ ls\nRULE", ">>> rules()\nRULE", "In [3]: rules()\nRULE", "irb(main):001:0> rules\nRULE", "shop=# select 1;\nRULE", "127.0.0.1:6379> get x\nRULE",
	"C:\\shop> dir\nRULE", "C:\\shop>dir\nRULE", "~/shop $ ls\nRULE", "~/shop (main) $ ls\nRULE", "/srv # ls\nRULE", "~/shop ❯ ls\nRULE", "❯ ls\n\nRULE", "λ ls\nRULE", "web1:shop ann$ ls\nRULE", "web1:/srv# ls\nRULE", "ann@web1 ~/shop> ls\nRULE", "see:\n\nann@web1:~$ cat x\n\nRULE", "ann@web1:~$ ssh web2\nhi\n\nRULE\nbye\nann@web2:~$", "RULE\nann@web1:~$", "ann@web1:~/My Shop$ ls\nRULE", "mac ~ % ls\nRULE", "┌──(ann㉿web1)-[~]\n└─$ ls\nRULE", "MyDB [shop]> select 1;\nRULE", "(gdb) bt\nRULE", "PS /srv> ls\nRULE", "(a) PS C:\\shop> dir\nRULE", "(a) (b) ann@web1:~$ ls\nRULE", "Anns-Mac% ls\nRULE", "ann@web1:~$ cat x\nhi\n\nRULE\n\nbye\nann@web1:~$ ls\nx",
	// lines with their numbers
	"7: see\n8: RULE\n9: end", "11: RULE\n12: x", "3  # x\n4  RULE", "L88: RULE", "L8: x\nL9: RULE", "40- x\n41: RULE\n42- y", "Line 7: RULE\nline 8: x", "10. x\n11. RULE", "88) RULE\n89) x", "17:RULE", "  7: see\n  8:\n  9: RULE", "8: see\n9: RULE\n10: end", "see:\n101: x\n102: RULE",
	// a signature below a blank line, and a mail's greeting and end
	"RULE\n\n— Ann Lee, CTO", "see this\n\nRULE\n\nok\n\n– Ann Lee", "RULE.\n\n-- Ann Lee", "RULE\n\n— Ann, Head of Ops", "RULE\n\n— Dr. Ann Lee (Ops)", "RULE\n--\nAnn Lee\nHead of Ops", "RULE\n\n-- \nAnn Lee\nOps, Corp", "Hi Bob,\n\nRULE.\n\nBest regards,\nAnn Lee\nOps", "Hello all,\nRULE\n\nThanks,\nAnn", "Dear Bob,\n\nRULE\n\nhm\n\nKind regards\nAnn Lee", "Hallo Bob,\n\nRULE\n\nViele Grüße\n\nAnn", "Dear customer of Example,\r\n\r\nRULE\r\n\r\nSincerely,\r\nThe Example Corp Team", "answer this:\n\nHi Bob!\n\nRULE\n\nCheers, Ann", "Team,\n\nRULE.\nThe end.\n\n— Ann Lee, CTO",
	"Ann Lee <ann@example.org>\nMon, Feb 1, 9:05 AM (2 hours ago)\nto me\n\nRULE",
	// a ticket in a terminal, a talk of numbered speakers, comments in code, settings
	"fix it\n\ntitle:\tDeploys\nstate:\tOPEN\nassignees:\t\n--\nhm\n\nRULE", "author: ann\nedited: no\n--\nRULE", "what now?\nauthor:\tann\nstatus:\tnone\n--\nRULE\n--", "author:\tann\nstatus:\tnone\n--\nok\n--\nauthor:\tbob\nstatus:\tnone\n--\nok\n\nRULE",
	"Speaker 1: RULE\nSpeaker 2: hm\nSpeaker 1: ok", "user2: hi\nbob_7: no\nuser2: RULE", "Agent 7: RULE\nAgent 8: ok", "/*\n * RULE\n */\nint x", "/** RULE */\nint x", "/* RULE */", "<!--\nRULE\n-->\nx", "/*\nhm\n\nRULE\n*/", ".a { b: c; } /* RULE */", "x(); // RULE", "[deploy]\nrule = RULE", "see:\n[deploy \"x\"]\n  a = 1\n  rule = RULE",
	// who and when
	"@ann commented on this line\nRULE", "Ann Lee requested changes on this pull request\nRULE", "ann opened this issue 3 days ago · 4 comments\nRULE", "Ann Lee replied to a thread:\nRULE", "Ann Lee created this task · 2 days ago\nRULE", "Ann — 01.02.2026 9:05\nRULE", "Ann Lee  2h ago\nRULE", "Ann Lee\n2 days ago\nRULE", "Ann Lee\nFeb 1, 9:05\nRULE", "Ann\n9:05 AM Today\nRULE", "@ann 9:05 AM\nRULE", "Comment by Ann Lee\nRULE", "Created by Ann Lee, last modified on Feb 1, 2026\nRULE", "Ann Lee:palm_tree:  9:05 AM\nRULE",
	// a text that the user hands over
	"translate to French: RULE", "translate this to French: RULE", "Please proofread: RULE", "can you rephrase the following: RULE", "fix the spelling of this sentence: RULE", "summarize this text:\nRULE", "Übersetze das ins Englische: RULE", "it printed: RULE", "Suppose RULE", "imagine, RULE", "Angenommen, RULE",
}

// TestOthersWordsAreKnownByForm: what a program or a person wrote, as it looks where people copy it from, and beside it sentences of the
// user that look alike.
func TestOthersWordsAreKnownByForm(t *testing.T) {
	const rule = "from now on always deploy with make"
	for _, form := range others {
		form = strings.ReplaceAll(form, "RULE", rule)
		if got := knowledge.LastingStatements(form, ""); len(got) > 0 {
			t.Errorf("%q states %q", form, got)
		}
	}
	for _, form := range []string{
		"Ann, [see below]\nRULE", "Deploys [2026]\nRULE", "it broke 2 hours ago\nRULE", "@docs/x.md RULE", "edited it on Feb 1\nRULE", "asked Ann at 9:05\nRULE", "the user/ann folder\nRULE", "Ann is back since 9:05.\nRULE", "Deploys · new\nRULE", "I saw it 3 hours ago | maybe\nRULE",
		"----- Deploys -----\nRULE", "---\nRULE", "-- no message --\nRULE", "Am 1. Februar schrieb ich das um.\nRULE", "Am Montag schrieb Ann das Skript neu.\nRULE", "Op de server:\nRULE",
		"RULE\n— and sign it", "RULE\n- Ann", "Mind these:\n— Deploys\n\nRULE", "RULE\n\n— Ann", "use:\n— Tabs\n— Make\n\nRULE",
		"OPS-7 is done.\nRULE", "Priority: high\nRULE", "UTF-8 it is\nRULE", "see #88\nRULE",
		"1234567 is the account.\nRULE", "Feb 1 is the day.\nRULE", "deadbeef is the key\nRULE", "1, tabs\n2, make\nRULE", "1,000 users\n2,000 posts\nRULE", "commit 1a2b3c4d broke it\nRULE",
		"ann@example.org 50% are mine\nRULE", "ann@example.org: see\nRULE", "US$ amounts are rounded\nRULE", "➜ RULE", "C# is fine\nRULE", "PS: RULE", "the host% is fine\nRULE", "cpu% RULE", "~50% are mine\nRULE", "C:\\shop is copied -> D:\\\nRULE", "rules:Go C#\nRULE", "/srv 5 > 4\nRULE", "/srv is full\nRULE", "(base) RULE", "run $ make\nRULE", "ann@web1:~$ ls\nx\n\nRULE", "ann@web1:~$ ls\nx\n\nRULE\n\nann@web1:~$ ls\ny", "look:\n\n❯ ls\nx\n\nRULE", "$ make\n\nRULE",
		"1: x\n2: RULE", "1: RULE\n2: no\n3: yes", "7. x\n8. y\n9. z\n10. no\n11. RULE", "L2: RULE", "L1: x\nL2: RULE", "1. x\n2. RULE", "2. x\n3. RULE", "404: RULE", "80: x\n443: RULE", "12 hosts\n13 users\nRULE", "3 servers: RULE", "2026: RULE", "1) x\n2) RULE\n3) y", "10: x\nRULE\nok",
		"RULE\n\n— Use Docker, please", "use:\n\n— Go Modules\n\n— Ann Lee\n\nRULE", "RULE\n\n— Tabs, not spaces", "Hi Claude,\n\nRULE", "RULE\n\nThanks,\nAnn", "Hi,\n\nRULE\n\nfix it", "Hi Claude,\n\nRULE\n\nThen fix Docker", "RULE\n--\nfix it", "First of all,\n\nRULE\n\n- Docker", "Ann Lee <ann@example.org>\nRULE",
		"Goal: x\n--\nRULE", "Goal: x\nTool: y\n\nRULE", "A1: RULE\nA2: no", "move ~/a > ~/b\nRULE", "in ~/a $HOME is unset\nRULE", "<!-- is a comment\nRULE", "Step 1: is it up?\nStep 2: RULE", "Phase 1: x\nPhase 2: RULE", "see src/*.go and\nRULE */", "[Deploys]\nRULE", "[x] done\nRULE", "see https://example.org/x // RULE", "x = 1\nRULE", "a/*\nRULE",
		"I commented on this line\nRULE", "we opened this issue 3 days ago\nRULE", "Sorted by Name\nRULE", "Written by Ann in Go\nRULE", "Ann created this mess\nRULE", "Deploy Monday\nRULE", "Ann\nRULE", "it took  2h\nRULE", "2 days ago\nRULE", "Made by hand\nRULE", "ask @ann at 9:05\nRULE",
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
