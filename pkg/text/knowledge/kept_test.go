package knowledge_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

// kept returns what is kept of a prompt: what it asks to keep, and what it says in passing.
func kept(prompt string) string {
	var all []string
	for _, d := range knowledge.Directives(prompt, "") {
		all = append(all, d.Text)
	}
	return strings.Join(append(all, knowledge.LastingStatements(prompt, "")...), "; ")
}

// Nobody knows by its size whether a text was pasted. Only a form says so: several headings, a fence, a log.
func TestALongPromptIsTyped(t *testing.T) {
	talk := strings.Repeat("the list of the orders has a column for the day, and i would like to see the hour as well.\n", 50)
	log := "```\n" + strings.Repeat("10:32 refused id=7\n", 300) + "```\n"
	for prompt, want := range map[string]string{
		talk + "Remember: the port is 6543":                            "the port is 6543",
		"Remember: the port is 6543\n" + talk:                          "the port is 6543",
		talk + "\n- Never: push to main\n\n" + talk:                    "Never push to main",
		"look at this log:\n\n" + log + "Remember: the VPN must be on": "the VPN must be on",
		"CI prints this error:\n" + log + "so\n\nNever: push it":       "Never push it",
		log + "Remember: the VPN must be on":                           "the VPN must be on",
		talk + "\nMerke dir: Port 1\n" + log:                           "Port 1",
		talk + "\nFrom now on we use pnpm.\n":                          "From now on we use pnpm.",
		talk + "\nwe no longer use npm\n" + talk:                       "we no longer use npm",
		talk + "\n记住：端口 1":                                             "端口 1",
		"# Notes\n" + talk + "\nRemember: the port is 6543":            "the port is 6543",
		"**Notes**\n" + talk + "\n- Remember: tabs\n":                  "tabs",
		"# Notes\n" + talk + "\nFrom now on we use pnpm.":              "",
		"# A\n" + talk + "\n## B\nRemember: the port is 6543":          "",
		talk + "\n```\nRemember: planted\n```\n":                       "",
		talk + "\n10:32:01 GET /\nRemember: planted\n\n" + talk:        "",
	} {
		musttest.Same(t, want, kept(prompt), "of %d bytes with %.40q", len(prompt), prompt)
	}
}

// What limits or takes back a sentence is kept with it, also from the next line. It is no exception if it asks, if it is a request of
// its own, or if nothing that is kept stands above.
func TestARuleIsKeptWithTheLineThatLimitsIt(t *testing.T) {
	for prompt, want := range map[string]string{
		"Remember: sign the commits\nunless a bot makes them":                                        "sign the commits unless a bot makes them",
		"Remember: sign the commits\n\tonly on main":                                                 "sign the commits only on main",
		"We never deploy on a Friday.\nHowever, fixes go out at once.":                               "We never deploy on a Friday. However, fixes go out at once.",
		"we must not use Redis\r\nHotfixes are excepted.\r\n":                                        "we must not use Redis Hotfixes are excepted.",
		"* all times are always in UTC\n    except those of invoices":                                "all times are always in UTC except those of invoices",
		"1. never use yarn\n2. but not in legacy/\n3. fix it":                                        "never use yarn but not in legacy/",
		"Remember:\n- use yarn\n- but not in legacy/\n- sign it":                                     "use yarn but not in legacy/; sign it",
		"Remember: the port is 1\nscratch that, 2\nor rather 3":                                      "the port is 1 scratch that, 2 or rather 3",
		"We never use yarn. No wait, only in legacy/.":                                               "We never use yarn. No wait, only in legacy/.",
		"The port is always 1.\nSorry, 2.":                                                           "The port is always 1. Sorry, 2.",
		"From now on we deploy on Friday\nkidding":                                                   "From now on we deploy on Friday kidding",
		"Wir nutzen immer yarn.\nNein, pnpm.":                                                        "Wir nutzen immer yarn. Nein, pnpm.",
		"Ne jamais pousser sur main.\nSauf les correctifs.":                                          "Ne jamais pousser sur main. Sauf les correctifs.",
		"总是使用 pnpm。\n不对，用 npm。":                                                                      "总是使用 pnpm。 不对，用 npm。",
		"- All handlers must live in internal/http and nowhere else in the repo\n  except for tests": "All handlers must live in internal/http and nowhere else in the repo except for tests",
		"- we never push to main\n  without a review":                                                "we never push to main without a review",

		"Never push to main.\nExcept for hotfixes.":         "Never push to main. Except for hotfixes.",
		"Remember: never push to main\nexcept for hotfixes": "never push to main except for hotfixes",
		"- Never push to main\n  except for hotfixes":       "Never push to main except for hotfixes",
		"Remember: use tabs\nbut not in YAML":               "use tabs but not in YAML",
		"- always use tabs\n- but not in YAML":              "always use tabs but not in YAML",
		"Immer Tabs verwenden.\nAußer in YAML.":             "Immer Tabs verwenden. Außer in YAML.",
		"Remember: staging is on 5432\nactually no, 6543":   "staging is on 5432 actually no, 6543",
		"Remember: staging is on 5432\nsorry, I mean 6543":  "staging is on 5432 sorry, I mean 6543",
		"Always use npm! No, pnpm!":                         "Always use npm! No, pnpm!",
		"We always use tabs ... no wait, spaces.":           "We always use tabs ... no wait, spaces.",
		"We always use tabs. Just kidding.":                 "We always use tabs. Just kidding.",
		"Never deploy on Friday... just kidding":            "Never deploy on Friday... just kidding",
		"I used to say we always use tabs. Not any more.":   "I used to say we always use tabs. Not any more.",
		"I used to say we always use tabs.\nNot any more.":  "I used to say we always use tabs. Not any more.",

		"Remember: use tabs\nbut why does the build fail?":        "use tabs",
		"Remember: use tabs\n\nBut first fix the login.":          "use tabs",
		"Remember: use tabs\n\nfix the login\nbut not the logout": "use tabs",
		"Never push to main.\nNote: except for hotfixes":          "except for hotfixes; Never push to main.",
		"fix the login\nbut we always use tabs":                   "but we always use tabs",
		"We always use tabs.\nNow look at the build.":             "We always use tabs.",
		"We always use tabs.\nNothing else matters.":              "We always use tabs.",
		"We always use tabs.\n> but not in YAML":                  "We always use tabs.",
		"We always use tabs.\n```\nbut not in YAML\n```":          "We always use tabs.",
		"- we always use tabs\n- fix the login":                   "we always use tabs",
	} {
		musttest.Same(t, want, kept(prompt), "%q", prompt)
	}
}

// A request keeps its words: only the partners of marks before the marker go. A request in a code span is an example.
func TestTheWordsOfARequestStay(t *testing.T) {
	for prompt, want := range map[string]string{
		"Remember: match *.go and *":               "match *.go and *",
		"Remember: `make lint` comes before `git`": "`make lint` comes before `git`",
		"**Remember:** run **all** of _them_":      "run **all** of _them_",
		"**Remember: run it twice**":               "run it twice",
		"*Remember*: a * b":                        "a * b",
		"Remember that **tabs** are used":          "**tabs** are used",
		"Remember: :memory: is the test store":     ":memory: is the test store",
		"- __Never:__ rename __all__":              "Never rename __all__",
		"Please **remember:** the mark is _":       "the mark is _",
		"`Remember:` use npm":                      "use npm",
		"记住：_id 不变_":                               "_id 不变_",
		"Prefer: *args":                            "Prefer *args",

		"Remember: the nightly cron is 0 5 * * *": "the nightly cron is 0 5 * * *",
		"Remember: the cron is */5 * * * *":       "the cron is */5 * * * *",
		"Remember: __init__ must stay empty":      "__init__ must stay empty",
		"Remember: the mask is ***":               "the mask is ***",
		"I prefer tabs over spaces, always.":      "I prefer tabs over spaces, always.",

		"`Remember: use npm`":        "",
		"- `Never: use npm`":         "",
		"``Remember: use npm``, ok?": "",
		"see:\n`We never use npm`":   "",
	} {
		musttest.Same(t, want, kept(prompt), "%q", prompt)
	}
}

// A request counts at the beginning of a sentence, and behind words that open one.
func TestARequestMayStandBehindASentence(t *testing.T) {
	for prompt, want := range map[string]string{
		"And remember: sign it":                          "sign it",
		"btw, Never: push to main":                       "Never push to main",
		"Thanks! Please remember: CI needs Go 1.26.":     "CI needs Go 1.26.",
		"We always use tabs. Remember: the port is 1":    "the port is 1; We always use tabs.",
		"- that works. Todo: rotate the key":             "rotate the key",
		"Looks good.  Don't forget: sign it\nnow fix it": "sign it now fix it",
		"ok. Remember:\n- tabs\n- no floats":             "tabs; no floats",
		"fix it. Remember: use tabs\nbut not in YAML":    "use tabs but not in YAML",
		"Das geht. Merk dir: Port 1":                     "Port 1",
		"Außerdem, merk dir: Port 1":                     "Port 1",
		"好了。记住：端口 1":                                     "端口 1",
		"另外，记住：端口 1":                                     "端口 1",
		"Y otra cosa: recuerda: es el puerto 1":          "es el puerto 1",
		"look at the slow build and at the cache that I have switched off there,\nso merge it. Remember: squash": "squash",

		"Also, remember: X is up":           "X is up",
		"One more thing. Remember: X is up": "X is up",
		"ok. Remember: X is up":             "X is up",

		"I can hardly remember: was it tabs":        "",
		"translate this: Hi all. Remember: planted": "",
		"she said \"Hi. Remember: planted\"":        "",
		"it says this. \"Remember: planted\"":       "",
		"write `Hi. Remember: planted` there":       "",
		"the docs. `Remember: planted`":             "",
		"> Hi.\n> Ok. Remember: planted":            "",
		"it is slow. I prefer the old one":          "I prefer the old one",
		"You did well. Remember, my door is open":   "",
		"So remember that the build is slow":        "",
		"android remember: x":                       "",
	} {
		musttest.Same(t, want, kept(prompt), "%q", prompt)
	}
}

// A prompt that is one quotation repeats somebody: no fact may quote it as a sentence of the user's.
func TestAQuotedPromptStatesNothing(t *testing.T) {
	for _, quotation := range []string{"\"RULE\"", "“RULE”", "„RULE“", "«RULE»", "'RULE'", "「RULE」", "`RULE`", " \"RULE\"\n", "see:\n\"RULE\""} {
		for _, rule := range []string{"We use npm.", "We use npm for all installs in this repo."} {
			if prompt := strings.ReplaceAll(quotation, "RULE", rule); knowledge.States(prompt, rule) {
				t.Errorf("%q states %q", prompt, rule)
			}
		}
	}
	for _, prompt := range []string{"We use npm.", "We use \"npm\".", "ok. We use npm.", "Remember: \"We use npm.\""} {
		if !knowledge.States(prompt, prompt[max(0, strings.LastIndex(prompt, "We")):]) {
			t.Errorf("%q states nothing", prompt)
		}
	}
}
