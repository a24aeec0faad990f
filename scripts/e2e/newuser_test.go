//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// statement is a fact or rule in prose, as somebody types it in a separate session, with the piece of it that later
// sessions must get, and a question in other words that it answers.
type statement struct{ prompt, piece, question string }

var inProse = []statement{
	{"Always run make check before you commit anything.", "run make check", "what has to run before a commit?"},
	{"Never use float64 for money in this project, amounts are integer cents.", "integer cents", "may money be a float64?"},
	{"We don't use the carrier's v1 API anymore, only v2, because v1 drops the street number.", "drops the street number", "which API of the carrier do we use?"},
	{"From now on every migration in db/migrations must name its ticket on the first line.", "name its ticket", "what must a migration have on its first line?"},
	{"Remember: the staging database listens on port 6543.", "port 6543", "on which port does the staging database listen?"},
	{"Remember: deploys go out on Tuesdays, after the stand-up.", "on Tuesdays", "when do deploys go out?"},
	{"I'd prefer short commit messages without a body.", "short commit messages", "how long should commit messages be?"},
	{"We keep the fixtures in testdata/shop and never generate them at run time.", "testdata/shop", "where are the fixtures?"},
}

// TestTheNewUsersPath is a new user's first sessions, with default settings and no explicit requests: eight state a
// fact or a rule in passing, a ninth gets them when it starts, a tenth asks.
func TestTheNewUsersPath(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.Write("Makefile", "check:\n\t@echo checked\n")
	api.Script("answer", Say("Understood."))
	for _, one := range inProse {
		run := u.Run(t.Context(), one.prompt+" SCRIPT:answer")
		requireGoodRun(t, run, "SessionStart:startup", "UserPromptSubmit", "Stop", "SessionEnd:other")
		u.stored(t, run.SessionID)
	}

	const hello = "Good morning, what do you know of this project? SCRIPT:answer"
	requireGoodRun(t, u.Run(t.Context(), hello), "SessionStart:startup", "SessionEnd:other")
	start := strings.Join(lastRequest(t, api, hello).Injected("SessionStart"), "\n")
	for _, one := range inProse {
		line := lineWith(start, one.piece)
		if strings.Count(start, one.piece) != 1 || !idAtStart.MatchString(line) {
			t.Errorf("the ninth session is told of %q: %q", one.prompt, line)
		}
	}
	if t.Failed() {
		t.Logf("the ninth session started with\n%s", start)
	}
	for _, one := range inProse {
		var answer daemonapi.Answer
		u.memory(t, &answer, "recall", one.question)
		if answer.Nearest || len(answer.Memories) == 0 || !strings.Contains(answer.Memories[0].Content, one.piece) {
			t.Errorf("%s\nis answered by %+v", one.question, answer)
		}
	}
	var nothing daemonapi.Answer
	u.memory(t, &nothing, "recall", "who designed the logo of the harbour festival?")
	if nothing.Nearest != (len(nothing.Memories) > 0) || len(nothing.Memories) > 1 || nothing.Left != 0 {
		t.Errorf("a question that nothing answers is answered by %+v", nothing)
	}

	ask := Call("mcp__plugin_surrealdb-memory_memory__recall_memories", map[string]any{"question": inProse[4].question})
	api.Script("ask", ask, Call("mcp__plugin_surrealdb-memory_memory__recall_memories", map[string]any{"query": inProse[4].question}), Say("On port 6543."))
	tenth := u.Run(t.Context(), "Look it up. SCRIPT:ask")
	requireGoodRun(t, tenth, "SessionEnd:other")
	if text := lastRequest(t, api, "Look it up.").Text(); !strings.Contains(text, "Its arguments are: files, kinds, query, token_budget") {
		t.Errorf("the model is not told which arguments there are:\n%s", text)
	}
	for _, session := range u.sessions(t) {
		if strings.Contains(session.Summary.Text, "surrealdb-memory>") {
			t.Errorf("a summary has injected text: %s", session.Summary.Text)
		}
	}
}

// repaired is a command that fails until something changes: with the calls of the session that finds the cure, and the
// part of it that later sessions must get before they run the command as it failed.
type repaired struct {
	name    string
	program string // which fails unless the cure is there
	calls   []string
	cure    []string
}

var repairs = []repaired{
	{"step", "serve", []string{"bin/serve", "bin/initdb", "bin/serve"}, []string{"bin/initdb"}},
	{"variable", "deploy", []string{"bin/deploy staging", "AWS_PROFILE=shop bin/deploy staging"}, []string{"AWS_PROFILE=shop"}},
	{"export", "publish", []string{"bin/publish web", "export NPM_SCOPE=harbour && bin/publish web"}, []string{"NPM_SCOPE=harbour"}},
	{"make variable", "make", []string{"make build", "make build TOKEN=1"}, []string{"TOKEN=1"}},
	{"folder", "report", []string{"make report", "cd data && make report"}, []string{"worked in `data`"}},
}

// TestTheNewUsersRepairedCommands: five sessions repair a command each, and five later ones run it as it failed. Each
// gets the cure before it runs.
func TestTheNewUsersRepairedCommands(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.Write("Makefile", "build:\n\t@test -n \"$(TOKEN)\" || { echo 'build: no token for the registry' >&2; exit 2; }\n")
	for _, dir := range []string{"bin", "data"} {
		musttest.Do(t, os.Mkdir(filepath.Join(u.Project, dir), 0o700))
	}
	for name, body := range map[string]string{
		"bin/initdb":  "touch data/db",
		"bin/serve":   "test -f data/db || { echo 'serve: relation berth does not exist' >&2; exit 1; }",
		"bin/deploy":  `test -n "$AWS_PROFILE" || { echo 'deploy: no credentials for the cluster' >&2; exit 1; }`,
		"bin/publish": `test -n "$NPM_SCOPE" || { echo 'publish: the package has no scope' >&2; exit 1; }`,
	} {
		u.Write(name, "#!/bin/sh\n"+body+"\n")
		musttest.Do(t, os.Chmod(filepath.Join(u.Project, name), 0o700))
	}
	u.Write("data/Makefile", "report:\n\t@echo 3 boats\n")
	bash := func(command string) Step {
		return Call("Bash", map[string]any{"command": command, "description": "Run it"})
	}
	for _, one := range repairs {
		var steps []Step
		for _, command := range one.calls {
			steps = append(steps, bash(command))
		}
		api.Script("repair"+one.program, append(steps, Say("It works now."))...)
		run := u.Run(t.Context(), "Get it to run. SCRIPT:repair"+one.program, "--allowedTools", "Bash")
		requireGoodRun(t, run, "PostToolUseFailure:Bash", "PostToolUse:Bash", "SessionEnd:other")
		u.stored(t, run.SessionID)
	}
	u.Remove("data/db")
	for _, one := range repairs {
		t.Run(one.name, func(t *testing.T) {
			api.Script("again"+one.program, bash(one.calls[0]), Say("It failed."))
			requireGoodRun(t, u.Run(t.Context(), "Once more, please. SCRIPT:again"+one.program, "--allowedTools", "Bash"), "PreToolUse:Bash", "SessionEnd:other")
			told := strings.Join(lastRequest(t, api, "SCRIPT:again"+one.program).Injected("PreToolUse:Bash"), "\n")
			for _, piece := range one.cure {
				if !strings.Contains(told, piece) {
					t.Errorf("before %q the session is told %q, which lacks the cure %q", one.calls[0], told, piece)
				}
			}
		})
	}
}

// sessions are those of the user's project.
func (u *User) sessions(t *testing.T) []memory.Session {
	t.Helper()
	var all []memory.Session
	u.memory(t, &all, "sessions", "--limit", "100")
	return all
}

// lineWith is the line of a text that has a piece, or "".
func lineWith(text, piece string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, piece) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// idAtStart is how a line begins that the model can ask for.
var idAtStart = regexp.MustCompile(`^- \[[0-9a-f]{6} `)
