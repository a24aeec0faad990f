//go:build e2e

package e2e

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// newUser is NewUser with a fake API of its own and a plugin that is known to be built.
func newUser(t *testing.T) (*User, *FakeAPI) {
	t.Helper()
	requirePlugin(t)
	api := NewFakeAPI(t)
	return NewUser(t, api), api
}

// lastRequest is the newest request with that text of the user's.
func lastRequest(t *testing.T, api *FakeAPI, userText string) Request {
	t.Helper()
	requests := api.RequestsWith(userText)
	if len(requests) == 0 {
		t.Fatalf("no request to the model carries %q", userText)
	}
	return requests[len(requests)-1]
}

// remembered is the text that the users of these tests ask to store, with a word to search for it.
const (
	remembered = "Remember: the staging database listens on port 6543."
	fact       = "6543"
)

// count is how often a piece stands in all of the texts.
func count(texts []string, piece string) int { return strings.Count(strings.Join(texts, "\n"), piece) }

func TestResumeGoesOnWithItsSession(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	api.Script("note", Call("Write", map[string]any{"file_path": filepath.Join(u.Project, "notes.md"), "content": "# Notes\n"}), Say("Noted."))
	first := u.Run(t.Context(), remembered)
	second := u.Run(t.Context(), "What do you know? SCRIPT:note", "--allowedTools", "Write")
	requireGoodRun(t, second, "SessionStart:startup", "UserPromptSubmit", "Stop", "SessionEnd:other")
	musttest.Same(t, 1, count(lastRequest(t, api, "What do you know?").Injected("SessionStart"), fact), "how often a new session was given the fact")

	for _, test := range []struct {
		prompt, session string
		arguments       []string
		facts           int // how often it was injected; the first session stated it itself
	}{
		{"And now?", second.SessionID, []string{"--continue"}, 1},
		{"Back to the first.", first.SessionID, []string{"--resume", first.SessionID}, 0},
		{"Once more.", second.SessionID, []string{"--resume", second.SessionID}, 1},
	} {
		run := u.Run(t.Context(), test.prompt, test.arguments...)
		requireGoodRun(t, run, "SessionStart:resume", "UserPromptSubmit", "Stop", "SessionEnd:other")
		musttest.Same(t, test.session, run.SessionID, "the session of %q", test.prompt)
		if got := count(lastRequest(t, api, test.prompt).MemoryBlocks(), fact); got != test.facts {
			t.Errorf("%q: the fact stands %d times in memory blocks, want %d", test.prompt, got, test.facts)
		}
	}
	back := lastRequest(t, api, "Back to the first.").MemoryBlocks()
	if count(back, "What do you know?") != 1 || count(back, "notes.md") != 1 {
		t.Errorf("the resumed session was not told of the one after it: %q", back)
	}

	for session, want := range map[string][]string{
		first.SessionID:  {"1 " + remembered, "2 Back to the first."},
		second.SessionID: {"1 What do you know? SCRIPT:note", "2 And now?", "3 Once more."},
	} {
		record := u.stored(t, session)
		musttest.Same(t, want, texts(record.Prompts), "the prompts")
		if s := record.Session; s.Source != "resume" || s.EndReason != "other" || s.EndedAt.IsZero() {
			t.Errorf("stored is %+v", s)
		}
		musttest.Same(t, len(want), len(sessionEvents(record, memory.EventTurnEnded)), "how many turns ended")
		requireNoRecallStored(t, record)
	}
	u.requireStored(t, 2, 5)
}

// requireStored wants the store to hold that many sessions and prompts, and no event to be waiting or put aside.
func (u *User) requireStored(t *testing.T, sessions, prompts int) {
	t.Helper()
	var status struct {
		Spool struct{ New, Claimed, Dead int }
		Store struct{ Sessions, Prompts int }
	}
	u.memory(t, &status, "status")
	if status.Store.Sessions != sessions || status.Store.Prompts != prompts {
		t.Errorf("stored are %d sessions with %d prompts, want %d with %d", status.Store.Sessions, status.Store.Prompts, sessions, prompts)
	}
	if spool := status.Spool; spool.New+spool.Claimed+spool.Dead != 0 {
		t.Errorf("events are left in the spool: %+v", spool)
	}
}

func TestForkIsASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.Run(t.Context(), remembered)
	api.Script("note", Call("Write", map[string]any{"file_path": filepath.Join(u.Project, "notes.md"), "content": "# Notes\n"}), Say("Noted."))
	parent := u.Run(t.Context(), "Look around. SCRIPT:note", "--allowedTools", "Write")
	fork := u.Run(t.Context(), "Try another way.", "--resume", parent.SessionID, "--fork-session")
	requireGoodRun(t, fork, "SessionStart:fork", "UserPromptSubmit", "Stop", "SessionEnd:other")
	if fork.SessionID == parent.SessionID {
		t.Fatalf("the fork has its parent's session id %s", fork.SessionID)
	}
	given := lastRequest(t, api, "Try another way.").Injected("SessionStart")
	if len(given) == 0 || !strings.Contains(given[len(given)-1], "Look around.") || !strings.Contains(given[len(given)-1], fact) {
		t.Errorf("the fork was given %q", given)
	}

	record := u.stored(t, fork.SessionID)
	if diff := cmp.Diff([]string{"1 Try another way."}, texts(record.Prompts)); diff != "" || record.Session.Source != "fork" {
		t.Errorf("the fork started by %q, with the prompts %s", record.Session.Source, diff)
	}
	record = u.stored(t, parent.SessionID)
	if diff := cmp.Diff([]string{"1 Look around. SCRIPT:note"}, texts(record.Prompts)); diff != "" || record.Session.Source != "startup" {
		t.Errorf("its parent started by %q, with the prompts %s", record.Session.Source, diff)
	}
	u.requireStored(t, 3, 3)
}

func TestClearEndsASessionAndStartsAnother(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	run := u.Chat(t.Context(), []string{remembered, "/clear", "Which port is it?"})
	requireGoodRun(t, run, "SessionStart:startup", "SessionEnd:clear", "SessionStart:clear", "SessionEnd:other")
	if len(run.Sessions) != 2 {
		t.Fatalf("the client had the sessions %q, want two", run.Sessions)
	}
	request := lastRequest(t, api, "Which port is it?")
	if strings.Contains(request.Text(), remembered) {
		t.Error("the conversation was not cleared")
	}
	musttest.Same(t, 1, count(request.Injected("SessionStart"), fact), "how often the cleared session was given the fact: %q", request.MemoryBlocks())

	before := u.stored(t, run.Sessions[0])
	if before.Session.EndReason != "clear" || before.Session.Source != "startup" {
		t.Errorf("the session before /clear is stored as %+v", before.Session)
	}
	after := u.stored(t, run.Sessions[1])
	if after.Session.EndReason != "other" || after.Session.Source != "clear" {
		t.Errorf("the session after /clear is stored as %+v", after.Session)
	}
	musttest.Same(t, []string{"1 " + remembered, "1 Which port is it?"}, slices.Concat(texts(before.Prompts), texts(after.Prompts)), "the prompts")
	u.requireStored(t, 2, 2)
}

// sessionEndLimit is the client's time limit for all hooks at a session's end together.
const sessionEndLimit = 1500 * time.Millisecond

func TestSessionEndIsInTimeWhateverTheDaemonDoes(t *testing.T) {
	u, api := newUser(t)
	run := u.Run(t.Context(), "As usual.")
	requireGoodRun(t, run, "SessionStart:startup", "Stop", "SessionEnd:other")
	quick := endOfSession(t, run)
	u.stored(t, run.SessionID)

	pid := musttest.Get(os.ReadFile(filepath.Join(u.MemoryHome, "run", "memoryd.pid")))(t)
	freeze := "kill -STOP " + strings.TrimSpace(string(pid))
	api.Script("freeze", Call("Bash", map[string]any{"command": freeze, "description": "Freeze"}), Say("It is frozen."))
	run = u.Run(t.Context(), "Now without an answer. SCRIPT:freeze", "--allowedTools", "Bash")
	thaw(t, u)
	requireGoodRun(t, run, "PostToolUse:Bash", "Stop", "SessionEnd:other")
	slow := endOfSession(t, run)
	for _, took := range []time.Duration{quick, slow} {
		if took > sessionEndLimit {
			t.Errorf("the end of a session took %v, want at most %v", took, sessionEndLimit)
		}
	}
	record := u.stored(t, run.SessionID)
	musttest.Same(t, []string{"It is frozen."}, sessionEvents(record, memory.EventTurnEnded), "the last words")
	t.Logf("from the end of the last turn to the end of SessionEnd: %v, and %v with a daemon that does not answer", quick, slow)
}

// thaw lets the frozen daemon go on.
func thaw(t *testing.T, u *User) {
	t.Helper()
	for _, pid := range u.daemonProcesses()[:1] {
		if err := resume(pid); err != nil {
			t.Fatalf("let the daemon go on: %v", err)
		}
	}
}

var (
	stamp       = `(?m)^(\S+Z) \[DEBUG\] `
	turnEnded   = regexp.MustCompile(stamp + `Hooks: Stop .* finished with status`)
	sessionDone = regexp.MustCompile(stamp + `SessionEnd:\S+ .* completed with status`)
)

// endOfSession is the time from the end of the last Stop hook to the end of the SessionEnd hook, by the client's debug
// log: more than the hook itself needed, because that log lacks its start.
func endOfSession(t *testing.T, run Result) time.Duration {
	t.Helper()
	debug := musttest.Get(os.ReadFile(run.DebugLog))(t)
	last := func(line *regexp.Regexp) time.Time {
		matches := line.FindAllStringSubmatch(string(debug), -1)
		if len(matches) == 0 {
			t.Fatalf("the debug log has no line like %s", line)
		}
		at := musttest.Get(time.Parse(time.RFC3339, matches[len(matches)-1][1]))(t)
		return at
	}
	took := last(sessionDone).Sub(last(turnEnded))
	if took < 0 {
		t.Fatalf("the debug log has SessionEnd %v before the last Stop", -took)
	}
	return took
}

// await waits until the condition holds, and names it if it does not in time.
func await(t *testing.T, limit time.Duration, condition string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("waited %v for %s", limit, condition)
		}
	}
}
