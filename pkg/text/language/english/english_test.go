package english_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

func TestTokenize(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"The tests are failing":           "test fail",
		"getUserByID":                     "[getuserbyid] get user id",
		"HTTPServer parses URLs":          "[httpserver] http server pars url",
		"max_open_conns":                  "[max_open_conns] max open conn",
		"pkg/recall/rank.go":              "[pkg/recall/rank.go] [rank.go] pkg recal rank go",
		`src\main.rs`:                     `[src\main.rs] [main.rs] src main rs`,
		"use --no-verify, please":         "use [no-verify] verifi",
		"v1.2.3":                          "[v1.2.3] v1 2 3",
		"user@example.com":                "[user@example.com] user exampl com",
		"Ann's dog doesn't bark":          "ann dog bark",
		"“rôle” naïve":                    "rôle naïve",
		"I ran, she went and they wrote.": "run go write",
		"索引 rebuild":                      "索引 rebuild",
		"主分支叫做trunk, 是":                   "主分 分支 支叫 叫做 trunk 是",
		"決済ゲート":                           "決済 済ゲ ゲー ート",
		"포트를 쓴다":                          "포트 트를 쓴다",
		"end. Next":                       "end next",
		"C++, C# and F#.":                 "c [c++] c [c#] f [f#]",
		"C++17 by g++-13":                 "c [c++] 17 g [g++] 13",
		"src/Objective-C++":               "[src/objective-c] [objective-c] src object c [c++]",
		"a+b, 1+ 2# and x+++":             "[a+b] b 1 2 x",
		"a/b":                             "[a/b] b",
		"--- *** !!!":                     "",
		"error E0432: unresolved":         "error e0432 unresolv",
	} {
		var got []string
		for _, token := range english.Tokenize(text) {
			if token.Whole {
				got = append(got, "["+token.Term+"]")
			} else {
				got = append(got, token.Term)
			}
		}
		musttest.Same(t, want, strings.Join(got, " "), "%q (-want +got)", text)
	}
}

func FuzzTokenize(f *testing.F) {
	for _, seed := range []string{"", "a'b'c", "fooBarBAZ_qux-1.2", "索引\xff\xfe", strings.Repeat("'", 99), "ÀÉ’s\x00path:x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokens := english.Tokenize(text)
		if len(tokens) > 3*len(text) {
			t.Errorf("%d terms of %d bytes", len(tokens), len(text))
		}
		for _, token := range tokens {
			switch {
			case token.Term == "":
				t.Errorf("an empty term")
			case strings.Contains(token.Term, "\x00"):
				t.Errorf("%q could be taken for an exact match", token.Term)
			case len(token.Term) > 3*64:
				t.Errorf("%q is too long", token.Term)
			case utf8.ValidString(text) && !utf8.ValidString(token.Term):
				t.Errorf("%q is cut inside a character", token.Term)
			}
		}
	})
}

func TestACoreIsFoundInOtherWords(t *testing.T) {
	for _, c := range []struct {
		name, later, earlier string
		want                 bool
	}{
		{"the same", "we squash before merging", "we squash before merging", true},
		{"other endings and order", "Before a merge, always squash the commits", "squashing commits is always done before merging", true},
		{"a statement in a card", "keep the session log on the shadow branch", "where do logs go? -> We keep the session log on the shadow branch until it is condensed.", true},
		{"a card behind a statement", "where do logs go? -> We keep the session log on the shadow branch until it is condensed.", "keep the session log on the shadow branch", false},
		{"another number", "the server listens on port 6543", "the server listens on port 8080", false},
		{"a negation", "never squash commits before merging", "squash commits before merging", false},
		{"a negation taken back", "squash commits before merging", "never squash commits before merging", false},
		{"a part is negated", "we cache API responses", "We never cache API responses of the billing service", false},
		{"a part is negated, behind a comma", "the API accepts XML", "The API accepts XML, but it does not accept files larger than 10 MB", false},
		{"an exception", "amounts are integer cents", "Amounts are integer cents, except in the reports of last year", false},
		{"a condition", "deploys need a ticket", "Only deploys to production need a ticket of the team", false},
		{"a sentence beside a negated one", "we cache API responses", "We cache API responses. We never cache those of the billing service.", true},
		{"a negated sentence beside another", "we cache API responses", "The build is slow. We never cache API responses of billing.", false},
		{"its own exception", "Amounts are cents, except in reports", "All amounts are integer cents, except in the reports", true},
		{"few words, one of them other", "use tabs in Go", "use tabs in Python", false},
		{"another name", "end all columns with '_at'", "end all columns with '_j'", false},
		{"no words", "and so on", "and so on", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			later, earlier := english.CoreOf(c.later), english.CoreOf(c.earlier)
			musttest.Same(t, c.want, later.IsContainedIn(earlier), "%q is contained in %q", c.later, c.earlier)
		})
	}
}
