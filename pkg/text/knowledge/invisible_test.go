package knowledge

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestAWishIsFoundBehindWhatNobodySees: marks of direction, blanks without width, widths and emphasis hide no request to keep a line.
func TestAWishIsFoundBehindWhatNobodySees(t *testing.T) {
	for _, prompt := range []string{
		"\u200fتذكر: المنفذ 7001", "\u202bتذكر: المنفذ 7001\u202c", "\u2067تذكر: المنفذ 7001\u2069", "\u200bRemember: port 7001", "\ufeffRemember: port 7001",
		"\u2060Remember: port 7001", "Re\u00admember: port 7001", "Remember\u200b: port 7001", "\u200eRemember：port 7001", "**Remember:** port 7001", "__Remember:__ port 7001",
		"> \u200bRemember: port 7001", "- \u200e**Remember:** port 7001", "@docs/a.md Remember: port 7001", "[Image #2] Remember: port 7001", "[Pasted text #1 +12 lines] @b.go Remember: port 7001",
		"📌 Remember: port 7001", "⚠️ **Remember:** port 7001", "→ Remember : port 7001", "1. **Remember**: port 7001", "«Remember»: port 7001", "\"Remember: port 7001\"", "(Remember: port 7001)", "„Merke dir: port 7001“", "「記憶して：port 7001」", "“Remember:” port 7001", "✅ - Remember: port 7001",
		"**记住**：port 7001", "【记住】port 7001", "【覚えておいて】：port 7001", "- [ ] Remember: port 7001", "「覚えて」：port 7001", "- **기억해**: port 7001", "**Запомни：** port 7001", "Запомни : port 7001", "_Merke dir_ ： port 7001", "📌 «Recuerda»: port 7001",
		"**Lembre-se**：port 7001", "> Souviens-toi : port 7001",
	} {
		if found := Directives(prompt, ""); len(found) != 1 || found[0].Text != "port 7001" && found[0].Text != "المنفذ 7001" {
			t.Errorf("%q: %+v", prompt, found)
		}
	}
	for _, prompt := range []string{"Remember: می\u200cخواهم", "Remember: क्\u200dष"} {
		if found := Directives(prompt, ""); len(found) != 1 || "Remember: "+found[0].Text != prompt {
			t.Errorf("%q: %+v", prompt, found)
		}
	}
	if found := Directives("mail me @home: Remember", ""); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

// TestItemsBelowARequestAreKept: a request above a list asks for each of its items.
func TestItemsBelowARequestAreKept(t *testing.T) {
	for prompt, want := range map[string]string{
		"Remember:\n- tabs\n- push to dev\nthen fix it\n- soon":                    "note tabs; note push to dev",
		"Remember: tabs\n- push to dev\n\n- fix it":                                "note tabs; note push to dev",
		"**Remember:**\n\n1. tabs\n2. todo: rotate it":                             "note tabs; todo rotate it",
		"Please remember this:\n- [ ] tabs":                                        "note tabs",
		"Never: force-push\n* skip tests":                                          "convention Never force-push; convention Never skip tests",
		"Always:\n* run tests":                                                     "convention Always run tests",
		"Rules from now on:\n1. tabs\n2. no floats":                                "convention Rules from now on: tabs; convention Rules from now on: no floats",
		"## From now on:\n- tabs":                                                  "convention From now on: tabs",
		"Remember:\n- Go:\n  - tabs\n- TS:\n  - spaces\n  - no any":                "note Go: tabs; note TS: spaces; no any",
		"Remember:\n1. Go:\n    - tabs\n2. TS:\n\t- spaces\n\t\t- two":             "note Go: tabs; note TS: spaces; two",
		"Always:\n  * in Go\n    * run vet\n  * sign":                              "convention Always in Go; run vet; convention Always sign",
		"Remember: in Go:\n- tabs\n- no floats":                                    "note in Go: tabs; note in Go: no floats",
		"Remember:\n- tabs\n  (in Go)\n- never push":                               "note tabs (in Go); note never push",
		"Remember:\n- tabs are what we use,\n    and also\n\tin Go.\n- never push": "note tabs are what we use, and also in Go.; note never push",
		"Remember: we use tabs\n  in Go\nfix it":                                   "note we use tabs in Go fix it",
		"Remember:\n    - tabs\n    - no floats":                                   "note tabs; note no floats",
		"Remember: run\n```\nmake lint\n```\nfix it":                               "note run make lint",
		"Remember:\n- run\n  ```sh\n  make a\n  make b\n  ```\n- never push":       "note run make a; make b; note never push",
		"Remember:\n~~~\nmake lint\n~~~":                                           "note make lint",
		"Remember: we use tabs.\n```\nx := 1\n```":                                 "note we use tabs.",
		"Remember: we use tabs\n```\nERROR x\n```":                                 "note we use tabs",
		"Remember: we use tabs\n\n```\nx\n```":                                     "note we use tabs",
		"Remember: we use tabs\n```\nx":                                            "note we use tabs",
		"Remember: we use tabs\n  Remember: in Go":                                 "note we use tabs; note in Go",
		"fix it:\n- see\n    Convention: planted\n  - Todo: rotate it":             "todo rotate it",
		"Remember: we use tabs\n\n- see\n    Convention: planted":                  "note we use tabs",
		"Ab jetzt:\n- Tabs":                                                        "convention Ab jetzt: Tabs",
		"从现在起：\n- 用 pnpm":                                                          "convention 从现在起: 用 pnpm",
		"记住：\n- 端口 1":                                                              "note 端口 1",
		"Merke dir folgendes:\n- Port 1":                                           "note Port 1",
		"Remember:\n- from the assistant\n":                                        "note from the assistant",
		"I want you to:\n- fix the build\n- run the tests":                         "",
		"please do this:\n- Todo: rotate it\n- and that":                           "todo rotate it",
		"Rules of the assistant:\nNever:\n- push":                                  "",
		"Remember:\nwe use tabs\nfix it":                                           "note we use tabs fix it",
		"**Remember:**\n\nwe use tabs\n\nfix it":                                   "note we use tabs",
		"Remember: in every repo\nwe use tabs\nfix it":                             "note in every repo we use tabs fix it",
		"Remember: in all my projects:\n- tabs\n- no floats":                       "note in all my projects: tabs; note in all my projects: no floats",
		"Remember: in all my projects":                                             "",
		"Always:\nrun tests":                                                       "convention Always run tests",
		"From now on:\nwe use tabs\n- fix it":                                      "convention From now on: we use tabs",
		"记住：\n端口 1":                                                                "note 端口 1",
		"Remember:\nTodo: rotate it\nfix it":                                       "todo rotate it",
		"Remember:\n- tabs\n\nfix it":                                              "note tabs",
		"# Ports\nRemember: we use 1":                                              "note we use 1",
		"# cat README\nRemember: planted":                                          "",
	} {
		var got []string
		for _, d := range Directives(prompt, "- from the assistant\nNever:\n- push") {
			got = append(got, string(d.Kind)+" "+d.Text)
		}
		musttest.Same(t, want, strings.Join(got, "; "), "%q", prompt)
	}
	musttest.Same(t, "Hi\n\nfix it", TypedText("Hi\nRemember:\n- we always use tabs\n\nfix it"), "beside what was asked is typed")
	musttest.Same(t, "fix it", TypedText("From now on:\n\nwe use tabs\nfix it"), "beside what was asked above a blank line is typed")
}
