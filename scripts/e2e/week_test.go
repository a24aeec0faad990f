//go:build e2e

package e2e

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

var updateWeek = flag.Bool("update-week", false, "write testdata/week.golden from what the hooks inject now")

const weekFile = "testdata/week.golden"

// A developer's week in one project, in a developer's words. testdata/week.golden has the
// injections of the hooks, a heading for each session: every line of it must be true on its day.
func TestTheWeekOfADeveloper(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	w := &week{t: t, u: u, api: api}
	const (
		redis   = "btw the tests need redis running on 6380"
		german  = "error messages go to the user in German"
		kraken  = "the auth service is owned by team Kraken, ask them before changing its API"
		staging = "Remember: the staging database listens on port 6543"
		pnpm    = "no, always use pnpm here, never npm"
		cents   = "amounts are integer cents, never floats"
	)
	const task = "Implement GET /invoices in src/invoices.js, with its amounts as JSON."
	u.Write("Makefile", "test:\n\t@test -f .env.test || { echo 'connect ECONNREFUSED 127.0.0.1:6380' >&2; exit 1; }\n\t@echo 'all 12 checks passed'\n")
	u.Write("server.js", "// the web service\n")
	w.git("add", ".")
	w.git("-c", "user.name=Ada", "-c", "user.email=ada@example.test", "commit", "--quiet", "-m", "Start")

	w.replies("add a health check to server.js", Call("Edit", map[string]any{
		"file_path": filepath.Join(u.Project, "server.js"), "old_string": "// the web service", "new_string": "// the web service\nserveHealth()",
	}), Say("The health check is in server.js."))
	w.day("Monday: rules in passing", "add a health check to server.js", redis, german, kraken, cents, staging)

	test := Call("Bash", map[string]any{"command": "make test", "description": "Run the tests"})
	w.replies("install the new logger please", Say("I installed it with npm."))
	w.replies("now run the tests", test, Call("Write", map[string]any{
		"file_path": filepath.Join(u.Project, ".env.test"), "content": "REDIS_PORT=6380\n",
	}), test, Say("The tests pass."))
	w.day("Tuesday: a correction, a command that fails, and its cure",
		"install the new logger please", pnpm, "now run the tests")

	w.replies("have somebody add the list of invoices",
		Call("Agent", map[string]any{
			"description": "Add GET /invoices", "prompt": task, "subagent_type": "general-purpose", "run_in_background": false,
		}), Say("The list of invoices is there."))
	api.Reply(task, Say("GET /invoices answers with the list."))
	wednesday := w.day("Wednesday: the port moves, and a subagent works",
		"the staging database has moved to port 7001, 6543 is gone", "have somebody add the list of invoices")
	w.injected("the subagent of Wednesday", lastRequest(t, api, task), task)
	for _, rule := range []string{cents, pnpm} {
		if count(lastRequest(t, api, task).Injected("SubagentStart"), rule) != 1 {
			t.Errorf("the subagent was not given %q once", rule)
		}
	}

	tree := filepath.Join(filepath.Dir(u.Project), "project-refunds")
	w.git("worktree", "add", "--quiet", "-b", "refunds", tree)
	main := u.Project
	u.Project = tree
	w.replies("write the notes of the refunds", Call("Write", map[string]any{
		"file_path": filepath.Join(tree, "refunds.md"), "content": "# Refunds\n",
	}), Say("The notes are in refunds.md."))
	thursday := w.day("Thursday: a worktree", "write the notes of the refunds", "on which port does the staging database listen?")
	u.Project = main

	w.replies("let's run the tests again", test, Say("They pass."))
	friday := w.day("Friday: the start", "which port has the staging database, and who owns the auth service?", "let's run the tests again")

	for name, request := range map[string]Request{"Wednesday": wednesday, "Thursday": thursday, "Friday": friday} {
		for _, rule := range []string{cents, pnpm} {
			if count(request.Injected("SessionStart"), rule) != 1 {
				t.Errorf("the start of %s has not %q once", name, rule)
			}
		}
	}
	for name, request := range map[string]Request{"Thursday": thursday, "Friday": friday} {
		start := strings.Join(request.Injected("SessionStart"), "\n")
		if now, before := strings.Index(start, "port 7001"), strings.Index(start, "listens on port 6543"); now < 0 || before >= 0 && before < now {
			t.Errorf("the start of %s has not the new port first: %s", name, start)
		}
	}
	w.requireGolden()
}

// week has the injections of the sessions so far.
type week struct {
	t   *testing.T
	u   *User
	api *FakeAPI

	text strings.Builder
}

// git runs in the project, without anybody's own settings.
func (w *week) git(args ...string) {
	w.t.Helper()
	git := exec.CommandContext(w.t.Context(), "git", args...)
	git.Dir, git.Env = w.u.Project, w.u.environment()
	if output, err := git.CombinedOutput(); err != nil {
		w.t.Fatalf("git %q: %v\n%s", args, err, output)
	}
}

func (w *week) replies(prompt string, steps ...Step) { w.api.Reply(prompt, steps...) }

// day is a session and the maintenance after it. It gives the session's last request, which has all that was injected.
func (w *week) day(name string, prompts ...string) Request {
	w.t.Helper()
	for _, prompt := range prompts {
		if !w.api.replies(prompt) {
			w.replies(prompt, Say("Understood."))
		}
	}
	run := w.u.Chat(w.t.Context(), prompts, "--allowedTools", "Bash,Write,Edit,Agent")
	requireGoodRun(w.t, run, "SessionStart:startup", "UserPromptSubmit", "SessionEnd:other")
	w.u.stored(w.t, run.SessionID)
	w.u.memory(w.t, nil, "daemon", "consolidate")
	request := lastRequest(w.t, w.api, prompts[len(prompts)-1])
	w.injected(name, request, prompts...)
	return request
}

// injected writes a request's prompts and the texts that the hooks added to it, in order.
func (w *week) injected(name string, request Request, prompts ...string) {
	if w.text.Len() > 0 {
		w.text.WriteString("\n")
	}
	w.text.WriteString("# " + name + "\n")
	for _, message := range request.Messages {
		for _, block := range message.Content {
			for _, part := range injection.FindAllStringSubmatch(strings.Join(Content{block}.allText(), "\n"), -1) {
				w.text.WriteString("\n" + part[1] + ":\n" + indented(w.lasting(part[2])))
			}
			typed := memoryBlock.ReplaceAllLiteralString(block.Text, "")
			for _, prompt := range prompts {
				if message.Role == "user" && strings.Contains(typed, prompt) {
					w.text.WriteString("\n> " + prompt + "\n")
				}
			}
		}
	}
}

// lasting returns a text without the parts that differ between runs.
func (w *week) lasting(text string) string {
	text = strings.ReplaceAll(text, filepath.Dir(w.u.Home), "/home/ada")
	for _, each := range []struct{ varying, name string }{
		{`\b\d{4}-\d\d-\d\d(T[\d:.]+Z?| \d\d:\d\d(:\d\d)?)?`, "DATE"},
		{`\b\d\d:\d\d(:\d\d)?\b`, "TIME"},
		{`\b[0-9a-f]{8}-[0-9a-f-]{27}\b`, "SESSION"},
		{`\[[0-9a-f]{6,32}\b`, "[ID"},
		{`\b\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b`, "DATE"},
	} {
		text = regexp.MustCompile(each.varying).ReplaceAllString(text, each.name)
	}
	return text
}

func indented(text string) string {
	var lines strings.Builder
	for line := range strings.Lines(text + "\n") {
		lines.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
	}
	return lines.String()
}

func (w *week) requireGolden() {
	w.t.Helper()
	if *updateWeek {
		musttest.Do(w.t, os.WriteFile(weekFile, []byte(w.text.String()), 0o600))
	}
	want := musttest.Get(os.ReadFile(weekFile))(w.t)
	musttest.Same(w.t, string(want), w.text.String(), "the week differs from %s, which -update-week writes", weekFile)
}
