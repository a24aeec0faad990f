package knowledge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func texts(found []knowledge.Statement) []string {
	var all []string
	for _, s := range found {
		all = append(all, s.Text)
	}
	return all
}

func TestStatements(t *testing.T) {
	tests := []struct {
		name, prompt, lastWords string
		want                    []knowledge.Statement
	}{
		{
			name:   "a sentence answers the one before it",
			prompt: "so do both agree? (the ledger should be the source of truth)",
			want: []knowledge.Statement{{
				Text: "(the ledger should be the source of truth)", Answers: "so do both agree?",
				Kind: memory.KindConvention, Salience: 0.83, Rule: "standing",
			}},
		},
		{
			name: "or the question of the assistant", prompt: "no, we removed the digest mails on purpose",
			lastWords: "The report is done.\n\nShall I bring the digest mails back?",
			want: []knowledge.Statement{{
				Text: "no, we removed the digest mails on purpose", Answers: "Shall I bring the digest mails back?",
				Kind: memory.KindCorrection, Salience: 0.75, Rule: "rejection",
			}},
		},
		{
			name: "or, for a rejection, the assistant's statement about it", prompt: "no, we removed the digest mails on purpose",
			lastWords: "I went through the open points. I added the digest mails back to the scheduler.\n\nThe tests of the report pass.",
			want: []knowledge.Statement{{
				Text: "no, we removed the digest mails on purpose", Answers: "I added the digest mails back to the scheduler.",
				Kind: memory.KindCorrection, Salience: 0.75, Rule: "rejection",
			}},
		},
		{
			name: "which an offer does not have", prompt: "no, we removed the digest mails on purpose",
			lastWords: "I added the digest mails back to the scheduler.\n\nWould you like me to do that?",
			want: []knowledge.Statement{{
				Text: "no, we removed the digest mails on purpose", Answers: "I added the digest mails back to the scheduler.",
				Kind: memory.KindCorrection, Salience: 0.75, Rule: "rejection",
			}},
		},
		{
			name: "a sentence that refers back is kept with its antecedent", prompt: "start with gen.go. the rooms overlap sometimes. that must never happen",
			want: []knowledge.Statement{{
				Text: "the rooms overlap sometimes. that must never happen", Answers: "start with gen.go.",
				Kind: memory.KindConvention, Salience: 0.44, Rule: "norm",
			}},
		},
		{
			name: "but not with another paragraph", prompt: "the rooms overlap sometimes.\nthat must never happen",
			want: []knowledge.Statement{{
				Text: "that must never happen", Answers: "the rooms overlap sometimes.",
				Kind: memory.KindConvention, Salience: 0.44, Rule: "norm",
			}},
		},
		{
			name: "but of a rule nothing", prompt: "from now on the digest mails go out on Mondays",
			lastWords: "I added the digest mails back to the scheduler.",
			want:      []knowledge.Statement{{Text: "from now on the digest mails go out on Mondays", Kind: memory.KindConvention, Salience: 0.7, Rule: "standing"}},
		},
		{
			name: "a marker anywhere in a line", prompt: "looks good, and please note that the sandbox resets at night",
			want: []knowledge.Statement{{Text: "the sandbox resets at night", Kind: memory.KindNote, Salience: 1, Rule: knowledge.RuleAsked}},
		},
		{
			name:      "a quoted earlier text of the assistant is not the user's",
			prompt:    "You should always pin the driver to a version.\nwhat did you mean by that?",
			lastWords: "You should always pin the driver to a version. It breaks otherwise.",
		},
		{
			name:   "behind a line that announces it, everything is somebody else's",
			prompt: "CI says this error:\nthe worker must be registered\nwe never retry here",
		},
		{
			name: "the arguments of a slash command are typed", prompt: "/plan we should keep the old ids, clients store them",
			want: []knowledge.Statement{{Text: "we should keep the old ids, clients store them", Kind: memory.KindConvention, Salience: 0.83, Rule: "norm"}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := knowledge.Statements(test.prompt, knowledge.Context{LastWords: test.lastWords})
			for i := range got {
				got[i].Salience = float64(int(got[i].Salience*100)) / 100
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("statements differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestConclusionsComeBestFirstAndFew(t *testing.T) {
	got := knowledge.Conclusions(`Perfect! All tests pass.

## Root cause
The worker closes the pool because it believes to own it.

- Updated ` + "`pool.go`" + `
- **Note:** this only works for one tenant, because the key doesn't contain it.
- The convention is intentionally kept, so that every caller closes what it opened.`)
	if len(got) != 3 {
		t.Fatalf("%d conclusions, not 3: %q", len(got), texts(got))
	}
	if !slices.IsSortedFunc(got, func(a, b knowledge.Statement) int {
		switch {
		case a.Salience > b.Salience:
			return -1
		case a.Salience < b.Salience:
			return 1
		}
		return 0
	}) {
		t.Errorf("not the most salient first: %+v", got)
	}
	for _, s := range got {
		if s.Salience > 0.6 {
			t.Errorf("%q is as salient as a user's statement: %g", s.Text, s.Salience)
		}
	}
	if i := slices.IndexFunc(got, func(s knowledge.Statement) bool { return strings.HasPrefix(s.Text, "The worker") }); i < 0 || got[i].Heading != "Root cause" {
		t.Errorf("the root cause is not among them with its heading: %+v", got)
	}
}

func TestACutCardHasBothHalves(t *testing.T) {
	asked, answered := strings.Repeat("ask ", 50), strings.Repeat("say ", 50)
	for name, test := range map[string]struct{ card, want string }{
		"both are long":        {asked + " -> " + answered, asked[:50] + "… -> " + answered[:50] + "…"},
		"the request is short": {"why? -> " + answered, "why? -> " + answered[:96] + "…"},
		"the outcome is short": {asked + " -> Done.", asked[:95] + "… -> Done."},
		"no card":              {asked, asked[:100] + "…"},
		"short":                {"why? -> Done.", "why? -> Done."},
	} {
		if got := knowledge.CutCard(test.card, 100); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestCard(t *testing.T) {
	tests := []struct {
		name string
		turn knowledge.Turn
		want string
	}{
		{
			name: "the request, the result, the edits",
			turn: knowledge.Turn{
				Prompts:   []string{"why is the export empty\nfor guests?"},
				LastWords: "Great question! The query joins on the account, which guests don't have.\n\n```sql\nSELECT 1\n```\nIt joins on the session now.",
				Files:     []string{"export.sql"},
			},
			want: "why is the export empty for guests? -> The query joins on the account, which guests don't have. It joins on the session now. [edited export.sql]",
		},
		{
			name: "bare go-ons join",
			turn: knowledge.Turn{Prompts: []string{"rename the export job", "yes, go ahead", "continue"}, LastWords: "The job is called report now."},
			want: "rename the export job -> The job is called report now.",
		},
		{
			name: "the remaining failure",
			turn: knowledge.Turn{Prompts: []string{"run the deploy to staging"}, Failed: "helm: release not found"},
			want: "run the deploy to staging [failed: helm: release not found]",
		},
		{name: "no content", turn: knowledge.Turn{Prompts: []string{"yes"}, LastWords: "Done."}, want: ""},
		{name: "machine text", turn: knowledge.Turn{Prompts: []string{"<task-notification>done</task-notification>"}}, want: ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := knowledge.Card(test.turn); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestLessons(t *testing.T) {
	failed := func(command, text string) knowledge.Step {
		return knowledge.Step{Action: knowledge.Failed, Command: command, Error: text, Signature: memory.ErrorSignature(text)}
	}
	ran := func(command string) knowledge.Step { return knowledge.Step{Action: knowledge.Ran, Command: command} }
	edited := func(file string) knowledge.Step { return knowledge.Step{Action: knowledge.Edited, File: file} }
	tests := []struct {
		name  string
		steps []knowledge.Step
		want  []knowledge.Lesson
	}{
		{
			name:  "another flag",
			steps: []knowledge.Step{failed("npm install", "ERESOLVE could not resolve"), ran("ls"), ran("npm install --legacy-peer-deps")},
			want:  []knowledge.Lesson{{Failure: 0, Success: 2, Changed: []string{"--legacy-peer-deps"}}},
		},
		{
			name:  "a step between that nobody would list",
			steps: []knowledge.Step{failed("bin/serve", "relation users does not exist"), ran("./initdb.sh"), ran("bin/serve")},
			want:  []knowledge.Lesson{{Failure: 0, Success: 2, Steps: []int{1}}},
		},
		{
			name:  "a loop of edits is work",
			steps: []knowledge.Step{failed("go test ./...", "a.go:3: undefined: x"), edited("a.go"), ran("go test ./...")},
		},
		{
			name:  "settings are no source",
			steps: []knowledge.Step{failed("docker compose up", "port is already allocated"), edited("compose.yaml"), ran("docker compose up")},
			want:  []knowledge.Lesson{{Failure: 0, Success: 2, Steps: []int{1}}},
		},
		{
			name:  "truly flaky",
			steps: []knowledge.Step{failed("make e2e", "timeout waiting for page"), ran("make e2e")},
			want:  []knowledge.Lesson{{Failure: 0, Success: 1, Flaky: true}},
		},
		{
			name:  "another command failed between",
			steps: []knowledge.Step{failed("make e2e", "no server"), failed("./initdb.sh", "exists"), ran("make e2e")},
		},
		{
			name:  "a tool with an unknown effect",
			steps: []knowledge.Step{failed("make e2e", "no server"), {Action: knowledge.Started}, ran("make e2e")},
		},
		{
			name:  "a server in the background",
			steps: []knowledge.Step{failed("make e2e", "no server"), {Action: knowledge.Started, Command: "make serve"}, ran("make e2e")},
			want:  []knowledge.Lesson{{Failure: 0, Success: 2, Steps: []int{1}}},
		},
		{
			name:  "a variable among the arguments",
			steps: []knowledge.Step{failed("make build", "no token"), ran("make build TOKEN=1")},
			want:  []knowledge.Lesson{{Failure: 0, Success: 1, Changed: []string{"TOKEN=1"}}},
		},
		{
			name:  "a step in the same chain",
			steps: []knowledge.Step{failed("bin/api", "relation users does not exist"), ran("cd db && ./seed.sh && cd .. && bin/api -v")},
			want:  []knowledge.Lesson{{Failure: 0, Success: 1, Changed: []string{"-v"}, Before: []string{"cd db && ./seed.sh"}}},
		},
		{
			name:  "a chain that failed as such",
			steps: []knowledge.Step{failed("npm ci && npm test", "engine"), ran("nvm use 22"), ran("npm ci && npm test")},
			want:  []knowledge.Lesson{{Failure: 0, Success: 2, Steps: []int{1}}},
		},
		{
			name:  "a setting written by the shell",
			steps: []knowledge.Step{failed("bin/api", "PORT is not set"), ran("echo PORT=1 >> .env"), ran("bin/api")},
			want:  []knowledge.Lesson{{Failure: 0, Success: 2, Steps: []int{1}}},
		},
		{
			name:  "a source written by the shell",
			steps: []knowledge.Step{failed("go vet ./...", "undefined: x"), ran("sed -i s/x/y/ a.go"), ran("go vet ./...")},
		},
		{
			name:  "a command that only looks around",
			steps: []knowledge.Step{failed("ls /nowhere", "No such file or directory"), ran("ls -a /nowhere")},
		},
		{
			name:  "without a cure",
			steps: []knowledge.Step{failed("make deploy", "error: no credentials")},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := knowledge.Lessons(test.steps)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("lessons differ (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzVerbatim holds every finding to the text it was found in.
func FuzzVerbatim(f *testing.F) {
	for _, name := range []string{"prompts.txt", "replies.txt"} {
		for _, l := range load(f, name) {
			f.Add(l.text, "Shall I go on?")
		}
	}
	f.Add("we never… \xff should", "`\xfe must?")
	f.Add("a:\n  b\n\n# x\n# y\nMedium Severity\n", "")
	f.Fuzz(func(t *testing.T, text, lastWords string) {
		check := func(found []knowledge.Statement) {
			for _, s := range found {
				for _, part := range []string{s.Text, s.Heading} {
					if !strings.Contains(text, part) {
						t.Errorf("%q is not in %q", part, text)
					}
				}
				if s.Text == "" || s.Rule == "" || s.Kind == "" || s.Salience <= 0 || s.Salience > 1 {
					t.Errorf("incomplete: %+v", s)
				}
				if !strings.Contains(text, s.Answers) && !strings.Contains(lastWords, s.Answers) {
					t.Errorf("answers %q, which is no text of the input", s.Answers)
				}
			}
		}
		check(knowledge.Statements(text, knowledge.Context{LastWords: lastWords}))
		check(knowledge.Conclusions(text))
		if card := knowledge.Card(knowledge.Turn{Prompts: []string{text}, LastWords: lastWords}); len(card) > 820 {
			t.Errorf("a card of %d bytes", len(card))
		}
	})
}

func BenchmarkStatements(b *testing.B) {
	set := load(b, "prompts.txt")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		knowledge.Statements(set[i%len(set)].text, knowledge.Context{LastWords: "It is done.\n\nShall I commit it?"})
	}
}

func BenchmarkConclusions(b *testing.B) {
	var text strings.Builder
	for _, l := range load(b, "replies.txt") {
		text.WriteString(l.text + "\n\n")
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		knowledge.Conclusions(text.String())
	}
}

// A quotation is no statement, and neither is a sentence that announces text which is
// not there.
func TestACitationOrAnnouncementIsNoStatement(t *testing.T) {
	for _, prompt := range []string{
		`Operation stopped by hook: Another session is active: "I'd like to do some proper tests with a real repo"`,
		"To suppress this warning in future sessions, run:",
	} {
		if got := knowledge.Statements(prompt, knowledge.Context{}); len(got) > 0 {
			t.Errorf("%q states %q", prompt, got[0].Text)
		}
	}
	if got := knowledge.Statements(`we never say "please wait a little while longer" to a user`, knowledge.Context{}); len(got) != 1 {
		t.Errorf("a rule with a citation in it states %d things", len(got))
	}
}

// Whatever a dialog is given, it is decided whether to keep it.
func TestDialogsAreJudgedWhateverTheirText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"", "should", "I", "use", "Redis", "Postgres", "?", "no", "…", "\n", "commit", "which", "store", "queue", "continue", ","})
		text := func(name string) string { return strings.Join(rapid.SliceOfN(word, 0, 8).Draw(t, name), " ") }
		question, answer := text("question"), text("answer")
		if knowledge.Decides(question, answer) && strings.Trim(question+answer, " ?…,\n") == "" {
			t.Errorf("%q decides %q", answer, question)
		}
		if word := text("words"); knowledge.Corrects(word) && strings.Trim(word, " ?…,\n") == "" {
			t.Errorf("%q corrects", word)
		}
	})
}

// A statement that cannot be understood alone is kept with the sentence that it needs, or not at all.
func TestAStatementIsKeptWithTheSentenceThatItNeeds(t *testing.T) {
	for prompt, want := range map[string]string{
		"nope, wrong file. The handlers are generated, edit the template in gen/ instead": "correction: nope, wrong file. The handlers are generated, edit the template in gen/ instead",
		"you added lodash again. I told you we don't want it":                             "convention: you added lodash again. I told you we don't want it",
		"why is lodash in package.json? I told you we don't want it":                      "convention: why is lodash in package.json? I told you we don't want it",
		"wrong directory! Our e2e tests live in qa/browser, please move them":             "correction: wrong directory! Our e2e tests live in qa/browser, please move them",
		"no, wrong class. The pricing rules are in PriceBook":                             "correction: no, wrong class. The pricing rules are in PriceBook",
		"not that module. The retries belong in transport":                                "correction: not that module. The retries belong in transport",
		"you used jQuery here. I told you already that this is not allowed":               "convention: you used jQuery here. I told you already that this is not allowed",
		"There is a print left in cart.py. We don't do that here.":                        "convention: There is a print left in cart.py. We don't do that here.",
		"you mocked the database. I've said before that we never do this":                 "convention: you mocked the database. I've said before that we never do this",
		"no, wrong endpoint":  "",
		"We never want that.": "",
		"we must still hook the audit log into admin.go tomorrow":                              "todo: we must still hook the audit log into admin.go tomorrow",
		"next week we have to remove the flag checkout_v2":                                     "todo: next week we have to remove the flag checkout_v2",
		"every morning we have to rotate the on-call phone":                                    "convention: every morning we have to rotate the on-call phone",
		"btw, we deploy from the release branch only":                                          "convention: we deploy from the release branch only",
		"the emails are sent by celery, the broker is rabbitmq on port 5673":                   "note: the emails are sent by celery, the broker is rabbitmq on port 5673",
		"the server is running on port 3000 now":                                               "",
		"the admin panel runs on port 9090":                                                    "note: the admin panel runs on port 9090",
		"nope, wrong file.":                                                                    "",
		"I told you we don't want it":                                                          "",
		"nope, wrong file. is it broken?":                                                      "",
		"I told you we don't want lodash":                                                      "convention: I told you we don't want lodash",
		"no, that's wrong. open the other":                                                     "",
		"that's it for today, tomorrow we still have to wire the limiter into cmd/api/main.go": "todo: that's it for today, tomorrow we still have to wire the limiter into cmd/api/main.go",
	} {
		got := ""
		for _, s := range knowledge.Statements(prompt, knowledge.Context{}) {
			got += fmt.Sprint(s.Kind, ": ", s.Text)
		}
		if got != want {
			t.Errorf("%q states %q, want %q", prompt, got, want)
		}
	}
}
