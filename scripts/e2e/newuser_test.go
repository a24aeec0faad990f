//go:build e2e

package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// said is a fact or rule in prose, as somebody types it in a session of its own, with the piece of it that later sessions
// must be told, and a question in other words that it answers.
type said struct{ prompt, piece, question string }

var inProse = []said{
	{"Always run make check before you commit anything.", "run make check", "what has to run before a commit?"},
	{"Never use float64 for money in this project, amounts are integer cents.", "integer cents", "may money be a float64?"},
	{"We don't use the carrier's v1 API anymore, only v2, because v1 drops the street number.", "drops the street number", "which API of the carrier do we use?"},
	{"From now on every migration in db/migrations must name its ticket on the first line.", "name its ticket", "what must a migration have on its first line?"},
	{"Remember: the staging database listens on port 6543.", "port 6543", "on which port does the staging database listen?"},
	{"Remember: deploys go out on Tuesdays, after the stand-up.", "on Tuesdays", "when do deploys go out?"},
	{"I'd prefer short commit messages without a body.", "short commit messages", "how long should commit messages be?"},
	{"We keep the fixtures in testdata/shop and never generate them at run time.", "testdata/shop", "where are the fixtures?"},
}

// TestTheNewUsersPath is somebody's first sessions with the plugin, with nothing set and nothing asked for: eight state a
// fact or a rule in passing, a ninth is told them when it starts, a tenth asks.
func TestTheNewUsersPath(t *testing.T) {
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
		var answer agentapi.Answer
		u.memory(t, &answer, "recall", one.question)
		if answer.Nearest || len(answer.Memories) == 0 || !strings.Contains(answer.Memories[0].Content, one.piece) {
			t.Errorf("%s\nis answered by %+v", one.question, answer)
		}
	}
	var nothing agentapi.Answer
	u.memory(t, &nothing, "recall", "who designed the logo of the harbour festival?")
	if !nothing.Nearest || len(nothing.Memories) > 1 || nothing.Left != 0 {
		t.Errorf("a question that nothing answers is answered by %+v", nothing)
	}

	ask := Call("mcp__plugin_surrealdb-memory_memory__recall_memories", map[string]any{"question": inProse[4].question})
	api.Script("ask", ask, Call("mcp__plugin_surrealdb-memory_memory__recall_memories", map[string]any{"query": inProse[4].question}), Say("On port 6543."))
	tenth := u.Run(t.Context(), "Look it up. SCRIPT:ask")
	requireGoodRun(t, tenth, "SessionEnd:other")
	if text := lastRequest(t, api, "Look it up.").Text(); !strings.Contains(text, `did you mean \"query\"`) && !strings.Contains(text, `did you mean "query"`) {
		t.Errorf("the model is not told which argument was meant:\n%s", text)
	}
	for _, session := range u.sessions(t) {
		if strings.Contains(session.Summary.Text, "surrealdb-memory>") {
			t.Errorf("a summary has injected text: %s", session.Summary.Text)
		}
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
