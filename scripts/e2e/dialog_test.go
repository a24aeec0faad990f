//go:build e2e

package e2e

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// The keys of a terminal.
const (
	keyDown  = "\x1b[B"
	keyTab   = "\t"
	keyEnter = "\r"
)

// isDrawn reports whether a text is or was on the screen, ignoring blanks.
func (c *conversation) isDrawn(text string) bool {
	return strings.Contains(drawn.ReplaceAllString(c.shown(1<<20), ""), drawn.ReplaceAllString(text, ""))
}

func (c *conversation) awaitDrawn(what string) {
	c.t.Helper()
	await(c.t, 20*time.Second, what+" on the screen", func() bool { return c.isDrawn(what) })
}

// enterUntil is pressUntil for the key Enter.
func (c *conversation) enterUntil(done func() bool) {
	c.t.Helper()
	c.pressUntil(keyEnter, done)
}

// pressUntil sends a key until it has its effect: the client does not listen to one that comes too soon.
func (c *conversation) pressUntil(key string, done func() bool) {
	c.t.Helper()
	const patience = 2 * time.Second
	sent := time.Time{}
	await(c.t, 20*time.Second, "the effect of a key", func() bool {
		if done() {
			return true
		}
		if time.Since(sent) > patience {
			sent = time.Now()
			musttest.Get(io.WriteString(c.terminal, key))(c.t)
		}
		return false
	})
}

// press sends keys, each after the client has reacted to the one before: it draws only differences.
func (c *conversation) press(keys ...string) {
	c.t.Helper()
	for _, key := range keys {
		before := len(c.shown(1 << 30))
		musttest.Get(io.WriteString(c.terminal, key))(c.t)
		await(c.t, 10*time.Second, "the client to draw", func() bool { return len(c.shown(1<<30)) > before })
	}
}

// A person answers the assistant's question, refuses a call with a reason and adds a comment to a yes, on a terminal.
// All are stored as the user's words; the first two are injected into the next session.
func TestAnswersAndRefusalsAreToldInTheNextSession(t *testing.T) {
	const (
		queueQuestion = "Which store should the queue of the exports use?"
		reason        = "never create files in the root, exports belong in out"
		addition      = "Always run make check before you commit anything."
	)
	u, api := newUser(t)
	api.Script("ask",
		Call("AskUserQuestion", map[string]any{"questions": []any{map[string]any{
			"question": queueQuestion, "header": "Store", "multiSelect": false,
			"options": []any{
				map[string]any{"label": "Redis (Recommended)", "description": "Faster"},
				map[string]any{"label": "Postgres", "description": "One database less"},
			},
		}}}),
		Call("Bash", map[string]any{"command": "touch export.csv", "description": "Touch"}),
		Call("Bash", map[string]any{"command": "mkdir out", "description": "Make the folder"}),
		Say("I stop here."))
	u.Run(t.Context(), "Hello.") // the daemon runs
	c := u.talk(t.Context(), t)
	await(t, 20*time.Second, "the session to start", func() bool { return c.logged("SessionStart:startup") > 0 })
	c.typed("SCRIPT:ask please", "SCRIPT:ask")
	c.awaitDrawn("One database less")
	c.press(keyDown)
	c.enterUntil(func() bool { return c.isDrawn("4. No") })
	c.press(keyDown, keyDown, keyDown, keyTab)
	c.awaitDrawn("Claude what to do differently")
	c.press(reason)
	c.enterUntil(func() bool { return c.isDrawn("Make the folder") })
	c.press(keyTab)
	c.awaitDrawn("Claude what to do next")
	c.press(addition)
	c.enterUntil(func() bool { return c.logged("Hooks: Stop [") > 0 })
	session := c.session()
	c.end()
	if _, err := os.Stat(filepath.Join(u.Project, "export.csv")); err == nil {
		t.Fatal("the call was not refused")
	}

	var record memory.SessionRecord
	await(t, 10*time.Second, "the daemon to read the transcript", func() bool {
		record = u.stored(t, session)
		return len(record.Prompts) > 1
	})
	if got := seen(record, memory.KindDecision); !slices.Contains(got, "answered “Postgres” (asked: “"+queueQuestion+"”)") {
		t.Errorf("the decisions are %q", got)
	}
	if got := seen(record, memory.KindCorrection); !slices.Contains(got, reason+" (refused: “touch export.csv”)") {
		t.Errorf("the corrections are %q", got)
	}
	if prompts, rules := texts(record.Prompts), seen(record, memory.KindNote); !slices.ContainsFunc(prompts, func(text string) bool { return strings.Contains(text, addition) }) ||
		!slices.Contains(rules, addition) {
		t.Errorf("the prompts are %q, the notes %q", prompts, rules)
	}
	next := u.Run(t.Context(), "Where should the queue of the exports keep its jobs?")
	requireGoodRun(t, next, "SessionStart:startup")
	requireRecalled(t, lastRequest(t, api, "keep its jobs"), map[string]string{"the answer": "answered “Postgres” (asked: “" + queueQuestion, "the refusal": reason})
}
