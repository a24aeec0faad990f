package hook_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	event    = "SessionEnd"
	deadline = 250 * time.Millisecond
	// grace is the time that a hook's own work may last beyond the deadline before Run returns without it.
	grace = 400 * time.Millisecond
	input = `{"session_id":"s-1","hook_event_name":"SessionEnd","reason":"other"}`
)

type work = func(context.Context, *hook.Call) (hookio.Output, error)

// run runs a hook with an input and returns its output and its log.
func run(t *testing.T, stdin io.Reader, env map[string]string, w work) (stdout string, logged []string) {
	t.Helper()
	var out bytes.Buffer
	logged = runTo(t, &out, stdin, env, w)
	return out.String(), logged
}

func runTo(t *testing.T, stdout io.Writer, stdin io.Reader, env map[string]string, w work) (logged []string) {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	hook.Run(hook.Hook{Event: event, Run: w, Deadline: func(config.Hooks) time.Duration { return deadline }}, hook.Process{
		Stdin: stdin, Stdout: stdout, Stderr: io.Discard, Executable: "/plugin/libexec/a-hook",
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600)) },
		Getenv: func(name string) string {
			if name == "MEMORY_HOME" {
				return home
			}
			return env[name]
		},
	})
	data, err := os.ReadFile(filepath.Join(home, "logs", "hooks.log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		logged = append(logged, line)
	}
	return logged
}

func answer(text string, err error) work {
	return func(context.Context, *hook.Call) (hookio.Output, error) { return hookio.Context(event, text), err }
}

const written = `{"hookSpecificOutput":{"hookEventName":"SessionEnd","additionalContext":"hello"}}` + "\n"

func TestRunWritesTheAnswerAndLogsErrorsInOneLine(t *testing.T) {
	for name, c := range map[string]struct {
		input, stdout, logged string
		env                   map[string]string
		work                  work
	}{
		"well":      {input: input, work: answer("hello", nil), stdout: written},
		"no answer": {input: input, work: answer("", nil)},
		"an error beside an answer": {
			input: input, work: answer("hello", errors.Join(errors.New("one"), errors.New("two\nlines"))), stdout: written,
			logged: `2026-01-02T02:04:05Z session-end session="s-1" one; two; lines` + "\n",
		},
		"damaged input is worked on": {
			input: input[:len(input)-1], work: answer("hello", nil), stdout: written,
			logged: `2026-01-02T02:04:05Z session-end session="s-1" hookio: decode: input ends too early at byte 67` + "\n",
		},
		"no input": {work: answer("hello", nil), logged: `2026-01-02T02:04:05Z session-end session="" hookio: decode: no input at byte 0` + "\n"},
		"another event": {
			input: strings.Replace(input, "SessionEnd", "Stop", 1), work: answer("hello", nil),
			logged: `2026-01-02T02:04:05Z session-end session="s-1" this program serves SessionEnd only, but was called for "Stop": check hooks.json` + "\n",
		},
		"a hostile session": {
			input: `{"session_id":"a\nb\u0000 session=\"c\"","hook_event_name":"Stop\nx"}`, work: answer("", nil),
			logged: `2026-01-02T02:04:05Z session-end session="a\nb\x00 session=\"c\"" this program serves SessionEnd only, but was called for "Stop\nx": check hooks.json` + "\n",
		},
		"an unusable setting": {
			input: input, env: map[string]string{"MEMORY_HOOKS_USER_PROMPT_TOKEN_BUDGET": "many"}, work: answer("hello", nil), stdout: written,
			logged: `2026-01-02T02:04:05Z session-end session="s-1" setting hooks.user_prompt.token_budget (from MEMORY_HOOKS_USER_PROMPT_TOKEN_BUDGET): "many" is not a whole number from 0 to 10000` + "\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, logged := run(t, strings.NewReader(c.input), c.env, c.work)
			musttest.Same(t, c.stdout, stdout, "written")
			musttest.Same(t, c.logged, strings.Join(logged, ""), "logged")
		})
	}
}

func TestRunSurvivesAPanicAndNamesItsPlace(t *testing.T) {
	stdout, logged := run(t, strings.NewReader(input), nil, func(context.Context, *hook.Call) (hookio.Output, error) {
		var call *hook.Call
		return hookio.Context(event, call.Executable), nil
	})
	musttest.Same(t, "", stdout, "wrote")
	if len(logged) != 1 || !strings.Contains(logged[0], "panic: runtime error: invalid memory address") || !strings.Contains(logged[0], "hook_test.go:") {
		t.Errorf("logged %q", logged)
	}
	if !strings.Contains(logged[0], `session="s-1"`) {
		t.Errorf("the line does not name the session: %q", logged[0])
	}
}

// Run returns on the dot: synctest's clock stands still while anything can go on.
func TestRunReturnsAtItsDeadline(t *testing.T) {
	for name, c := range map[string]struct {
		input  string
		work   func(release <-chan struct{}) work
		takes  time.Duration
		stdout string
		logged int
	}{
		"input that never ends": {"{", func(<-chan struct{}) work { return answer("hello", nil) }, deadline + grace, "", 1},
		"work that obeys": {input, func(<-chan struct{}) work {
			return func(ctx context.Context, _ *hook.Call) (hookio.Output, error) {
				<-ctx.Done()
				return hookio.Output{}, ctx.Err()
			}
		}, deadline, "", 1},
		"work that is a little late": {input, func(<-chan struct{}) work {
			return func(ctx context.Context, _ *hook.Call) (hookio.Output, error) {
				<-ctx.Done()
				<-time.After(grace / 2)
				return hookio.Context(event, "hello"), nil
			}
		}, deadline + grace/2, written, 0},
		"work that does not end": {input, func(release <-chan struct{}) work {
			return func(context.Context, *hook.Call) (hookio.Output, error) {
				<-release
				return hookio.Context(event, "too late"), nil
			}
		}, deadline + grace, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, w := io.Pipe()
				go func() { _, _ = io.WriteString(w, c.input) }()
				release := make(chan struct{})
				var stdout bytes.Buffer
				started := time.Now()
				logged := runTo(t, &stdout, r, nil, c.work(release))
				musttest.Same(t, c.takes, time.Since(started), "returned after")
				musttest.Same(t, c.logged, len(logged), "logged %q", logged)
				close(release)
				_ = w.Close()
				synctest.Wait() // the abandoned work ends, and writes nothing
				musttest.Same(t, c.stdout, stdout.String(), "written")
			})
		})
	}
}

type refusing struct{ err error }

func (r refusing) Read([]byte) (int, error)  { return 0, r.err }
func (r refusing) Write([]byte) (int, error) { return 0, r.err }

func TestRunReportsStreamsThatFail(t *testing.T) {
	broken := refusing{errors.New("device is on fire")}
	stdout, logged := run(t, broken, nil, answer("hello", nil))
	if stdout != written { // work without need of the input is still done
		t.Errorf("wrote %q", stdout)
	}
	if len(logged) != 1 || !strings.Contains(logged[0], "device is on fire") {
		t.Errorf("input: logged %q", logged)
	}
	logged = runTo(t, broken, strings.NewReader(input), nil, answer("hello", nil))
	if len(logged) != 1 || !strings.Contains(logged[0], "write the output: device is on fire") {
		t.Errorf("output: logged %q", logged)
	}
}

func TestTheCallHoldsWhatTheHookMayUse(t *testing.T) {
	ran := false
	_, logged := run(t, strings.NewReader(input), map[string]string{"CLAUDE_ENV_FILE": "/x", "MEMORY_HOOKS_SESSION_START_TOKEN_BUDGET": "77"},
		func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
			ran = true
			if _, limited := ctx.Deadline(); !limited {
				t.Error("the context has no deadline")
			}
			if call.Input.Reason != "other" || call.InputErr != nil || call.Getenv("CLAUDE_ENV_FILE") != "/x" ||
				call.Config.Hooks.SessionStartTokens != 77 || filepath.Base(call.Paths.Home) != "home" ||
				call.Executable != "/plugin/libexec/a-hook" || call.Now().Year() != 2026 || call.Stderr != io.Discard {
				t.Errorf("%+v", call)
			}
			return hookio.Output{}, nil
		})
	if !ran || len(logged) > 0 {
		t.Errorf("ran: %v, logged %q", ran, logged)
	}
}
