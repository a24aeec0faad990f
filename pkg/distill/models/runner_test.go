package models_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill/models"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var question = distill.Question{System: "be brief", Prompt: "what was it?", Schema: json.RawMessage(`{"type":"object"}`), MaxOutput: 99}

// client makes a program in place of the client; what it prints is said by a script.
func client(t *testing.T, script string) models.Claude {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs of these tests are shell scripts")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "claude")
	musttest.Do(t, plugintest.WriteProgram(program, []byte("#!/bin/sh\n"+script+"\n")))
	work := filepath.Join(dir, "work")
	musttest.Do(t, os.Mkdir(work, 0o700))
	t.Cleanup(func() {
		if left, err := os.ReadDir(work); err != nil || len(left) > 0 {
			t.Errorf("the call left %v behind (%v)", left, err)
		}
	})
	return models.Claude{Command: program, Model: "haiku", Dir: work, Environ: []string{"PATH=" + os.Getenv("PATH"), "SURREAL_PASS=secret", "MEMORY_HOME=/home"}}
}

func TestTheClientIsAskedAloneAndWithoutHooks(t *testing.T) {
	seen := filepath.Join(t.TempDir(), "seen")
	c := client(t, `{ pwd; ls -A; echo "$@"; cat; echo; env; } > `+seen+`
echo '{"type":"result","structured_output":{"a":1},"total_cost_usd":0.5,"modelUsage":{"m":{"inputTokens":1,"cacheReadInputTokens":20,"cacheCreationInputTokens":300,"outputTokens":4000},"n":{"inputTokens":1}}}'`)
	c.Key, c.URL = "dummy", "http://127.0.0.1:1"
	reply := musttest.Get(c.Ask(t.Context(), question))(t)
	if want := (distill.Usage{Reported: true, Input: 322, Output: 4000, USD: 0.5}); string(reply.Text) != `{"a":1}` || reply.Usage != want {
		t.Errorf("got %s, %+v", reply.Text, reply.Usage)
	}
	told := musttest.Get(os.ReadFile(seen))(t)
	lines := strings.Split(string(told), "\n")
	if dir := lines[0]; !strings.HasPrefix(dir, c.Dir) || strings.HasPrefix(lines[1], "-p") == false {
		t.Errorf("it ran in %s, which holds %s", lines[0], lines[1])
	}
	for _, want := range []string{
		"--tools  --strict-mcp-config", "--safe-mode", `{"disableAllHooks":true}`, "--system-prompt be brief", "what was it?",
		"MEMORY_DISABLED=true", "ANTHROPIC_API_KEY=dummy", "ANTHROPIC_BASE_URL=http://127.0.0.1:1", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=99",
	} {
		if !strings.Contains(string(told), want) {
			t.Errorf("%q is not among what it was told:\n%s", want, told)
		}
	}
	if strings.Contains(string(told), "SURREAL_PASS") || strings.Contains(string(told), "MEMORY_HOME") {
		t.Error("it got our environment")
	}
}

func TestAClientThatDoesNotAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		runner bool
		usage  distill.Usage
		want   string
	}{
		"crashes":       {"echo broken >&2; kill -SEGV $$", false, distill.Usage{}, "broken"},
		"says nothing":  {"exit 0", false, distill.Usage{}, "without a result"},
		"prints no end": {`echo '{"type":"assistant"}'`, false, distill.Usage{}, "without a result"},
		"fails": {
			`echo '{"type":"result","subtype":"error_max_turns","is_error":true,"usage":{"input_tokens":7,"output_tokens":1}}'; exit 1`, false,
			distill.Usage{Reported: true, Input: 7, Output: 1},
			"error_max_turns",
		},
		"is not signed in": {`echo '{"type":"result","is_error":true,"result":"Invalid API key · Please run /login","usage":{}}'; exit 1`, true, distill.Usage{Reported: true}, "is not signed in"},
		"is endless":       {"yes", false, distill.Usage{}, "bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			reply, err := client(t, test.script).Ask(t.Context(), question)
			if err == nil || errors.Is(err, distill.ErrRunner) != test.runner || !strings.Contains(err.Error(), test.want) || reply.Usage != test.usage {
				t.Errorf("%v, %+v", err, reply.Usage)
			}
		})
	}
	missing := models.Claude{Command: "there-is-no-such-client", Dir: t.TempDir()}
	if reply, err := missing.Ask(t.Context(), question); !errors.Is(err, distill.ErrRunner) || !reply.Usage.Reported || reply.Usage.Total() != 0 {
		t.Errorf("a missing client: %v, %+v", err, reply.Usage)
	}
}

// A client that hangs is killed with the children that it started and let go.
func TestAClientIsKilledWithItsChildren(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pids")
	c := client(t, `sleep 600 > /dev/null 2>&1 & echo "$! $$" > `+pipe+`.new; mv `+pipe+`.new `+pipe+`; wait`)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	started := make(chan struct{})
	go func() {
		defer close(started)
		await(ctx, func() bool { _, err := os.Stat(pipe); return err == nil })
		cancel()
	}()
	if _, err := c.Ask(ctx, question); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("%v", err)
	}
	<-started
	pids := musttest.Get(os.ReadFile(pipe))(t)
	var child, shell int
	musttest.Get(fmt.Sscan(string(pids), &child, &shell))(t)
	ending, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	for _, pid := range []int{child, shell} {
		if await(ending, func() bool { return !running(pid) }); running(pid) {
			t.Fatalf("process %d is left", pid)
		}
	}
}

// await waits until a condition holds or ctx ends.
func await(ctx context.Context, holds func() bool) {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// running tells whether a process is there and has not ended.
func running(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(status), ") Z ")
}

func endpoint(t *testing.T, answer http.HandlerFunc) models.Endpoint {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	return models.Endpoint{URL: server.URL + "/v1/", Model: "small", Key: "key"}
}

func TestAnEndpointIsAsked(t *testing.T) {
	var got map[string]any
	e := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer key" {
			t.Errorf("asked %s with %q", r.URL, r.Header)
		}
		musttest.Is(t, nil, json.NewDecoder(r.Body).Decode(&got), "the request")
		_, _ = io.WriteString(w, `{"choices":[{"finish_reason":"stop","message":{"content":"{\"a\":1}"}}],"usage":{"prompt_tokens":30,"completion_tokens":4}}`)
	})
	reply, err := e.Ask(t.Context(), question)
	if want := (distill.Usage{Reported: true, Input: 30, Output: 4}); err != nil || string(reply.Text) != `{"a":1}` || reply.Usage != want {
		t.Errorf("%v: %s, %+v", err, reply.Text, reply.Usage)
	}
	if got["model"] != "small" || got["max_tokens"] != 99.0 || len(got["messages"].([]any)) != 2 {
		t.Errorf("asked %v", got)
	}
}

func TestAnEndpointThatDoesNotAnswer(t *testing.T) {
	says := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); _, _ = io.WriteString(w, text) }
	}
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   error
	}{
		"no key":    {says(401, "who are you?"), distill.ErrRunner},
		"overload":  {says(529, "later"), nil},
		"no JSON":   {says(200, "<html>"), distill.ErrAnswer},
		"no choice": {says(200, "{}"), distill.ErrAnswer},
		"refusal":   {says(200, `{"choices":[{"message":{"refusal":"no"}}]}`), distill.ErrAnswer},
		"too long":  {says(200, `{"choices":[{"finish_reason":"length","message":{"content":"{"}}]}`), distill.ErrAnswer},
		"endless":   {says(200, strings.Repeat("x", 2<<20)), distill.ErrAnswer},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := endpoint(t, test.answer).Ask(t.Context(), question)
			if err == nil || test.want != nil && !errors.Is(err, test.want) || test.want == nil && (errors.Is(err, distill.ErrRunner) || errors.Is(err, distill.ErrAnswer)) {
				t.Errorf("%v", err)
			}
		})
	}
	for _, unasked := range []string{"http://127.0.0.1:1", "http://example.com/v1", "ftp://localhost", ""} { // elsewhere only by https
		if reply, err := (models.Endpoint{URL: unasked}).Ask(t.Context(), question); !errors.Is(err, distill.ErrRunner) || !reply.Usage.Reported {
			t.Errorf("%q: %v, %+v", unasked, err, reply.Usage)
		}
	}
}

// TestCountsThatCannotBeAreNotReported: they would give tokens back to the limits.
func TestCountsThatCannotBeAreNotReported(t *testing.T) {
	for name, counts := range map[string][2]int{"below zero": {-5, 4}, "below zero of the answer": {30, -4}, "beyond any model": {math.MaxInt, 4}} {
		t.Run(name, func(t *testing.T) {
			e := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
				_, _ = fmt.Fprintf(w, `{"choices":[{"finish_reason":"stop","message":{"content":"{}"}}],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`, counts[0], counts[1])
			})
			if reply, err := e.Ask(t.Context(), question); err != nil || reply.Usage.Reported || reply.Usage.Total() != 0 {
				t.Errorf("an endpoint: %v, %+v", err, reply.Usage)
			}
			script := `echo '{"type":"result","structured_output":{"a":1},"modelUsage":{"m":{"inputTokens":9,"cacheReadInputTokens":%d,"outputTokens":%d},"n":{"inputTokens":9}}}'`
			if reply, err := client(t, fmt.Sprintf(script, counts[0], counts[1])).Ask(t.Context(), question); err != nil || reply.Usage.Reported || reply.Usage.Total() != 0 {
				t.Errorf("a client: %v, %+v", err, reply.Usage)
			}
		})
	}
}
