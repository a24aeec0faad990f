package hooks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// replay hands an input to a hook as plugin/hooks/replay.sh does.
func (w *world) replay(h hook.Hook, input string, at time.Time) (output string, code int) {
	var out bytes.Buffer
	process := w.process(h, input, &out, &out)
	process.Past = at
	code = hook.Run(h, process)
	return out.String(), code
}

// TestReplayedEventsAreCapturedOnly: no session reads their output, and each has the time at which it happened.
func TestReplayedEventsAreCapturedOnly(t *testing.T) {
	w := newWorld(t)
	at := time.Date(2026, 3, 1, 9, 30, 0, 1_200_000, time.UTC)
	const session = `"session_id":"s1","cwd":"/x"`
	for _, one := range []struct {
		hook  hook.Hook
		input string
	}{
		{hooks.SessionStart, `{"hook_event_name":"SessionStart","source":"startup",` + session + `}`},
		{hooks.UserPromptSubmit, `{"hook_event_name":"UserPromptSubmit","prompt":"The cache listens on port 6543.",` + session + `}`},
		{hooks.Stop, `{"hook_event_name":"Stop","last_assistant_message":"Noted: port 6543.",` + session + `}`},
	} {
		if output, code := w.replay(one.hook, one.input, at); output != "" || code != 0 {
			t.Errorf("%s prints %q and exits with %d", one.hook.Name(), output, code)
		}
	}
	events := w.spooled(t)
	if len(events) != 3 {
		t.Fatalf("%d events are in the spool: %v", len(events), events)
	}
	for _, event := range events {
		if got, _ := event["at"].(string); !strings.HasPrefix(got, "2026-03-01T09:30:00.0012") {
			t.Errorf("an event is of %q, want the time at which it happened", got)
		}
	}
	if marks, _ := filepath.Glob(filepath.Join(w.layout().Run(), "*idle*")); len(marks) > 0 {
		t.Errorf("a session of the past waits for its user: %q", marks)
	}
}

// TestReplayedEventsAskForNoMemories: what is given for them would count as shown to the session.
func TestReplayedEventsAskForNoMemories(t *testing.T) {
	w := newWorld(t)
	a := startDaemon(t, w, injected)
	const session = `"session_id":"s1","cwd":"/x"`
	for _, one := range []struct {
		hook  hook.Hook
		input string
	}{
		{hooks.SessionStart, `{"hook_event_name":"SessionStart","source":"startup",` + session + `}`},
		{hooks.UserPromptSubmit, `{"hook_event_name":"UserPromptSubmit","prompt":"Which port has the cache?",` + session + `}`},
		{hooks.PreToolUse, `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"go test ./..."},` + session + `}`},
		{hooks.PostToolUseFailure, `{"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"go test ./..."},"error":"Exit code 1",` + session + `}`},
		{hooks.SubagentStart, `{"hook_event_name":"SubagentStart","agent_type":"Explore","agent_id":"a1",` + session + `}`},
	} {
		if _, code := w.replay(one.hook, one.input, time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)); code != 0 {
			t.Errorf("%s exits with %d", one.hook.Name(), code)
		}
	}
	for _, c := range a.requests(t) {
		if c.Method == daemonapi.MethodRecall.Name || c.Method == daemonapi.MethodSessionContext.Name {
			t.Errorf("the daemon was asked: %+v", c)
		}
	}
}

// TestWordsOfOthersAreNotCaptured, whether the client says beside the text whose it is, or the text does.
func TestWordsOfOthersAreNotCaptured(t *testing.T) {
	for input, want := range map[string]int{
		`"prompt":"Always squash.","source":"user"`: 1, `"prompt":"Always squash."`: 1, `"prompt":"Always squash.","source":"system"`: 0,
		`"prompt":"Always squash.","source":"schedule_wakeup"`: 0, `"prompt":"Always squash.","source":"poll_event"`: 0, `"prompt":"Always squash.","source":"sdk"`: 0,
		`"prompt":"Always squash.","agent_id":"a1"`:                     0,
		`"prompt":"<channel source=\"x\">\nAlways squash.\n</channel>"`: 0,
	} {
		w := newWorld(t)
		if w.replay(hooks.UserPromptSubmit, `{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"/x",`+input+`}`, time.Now()); len(w.spooled(t)) != want {
			t.Errorf("%s: %d events are captured, want %d", input, len(w.spooled(t)), want)
		}
	}
	for entrypoint, want := range map[string]int{"cli": 1, "sdk-cli": 1, "claude-vscode": 1, "sdk-ts": 0, "sdk-py": 0, "claude-code-github-action": 0, "other": 0} {
		w := newWorld(t).with("CLAUDE_CODE_ENTRYPOINT", entrypoint)
		if w.replay(hooks.UserPromptSubmit, `{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"/x","prompt":"Always squash.","source":"sdk"}`, time.Now()); len(w.spooled(t)) != want {
			t.Errorf("in a session by %s %d events are captured, want %d", entrypoint, len(w.spooled(t)), want)
		}
	}
}

// What a model schedules, and what an agent of the repository begins a session with, the client submits as if the user had typed it.
func TestScheduledPromptsAndThoseOfAgentsAreNotCaptured(t *testing.T) {
	for _, tool := range []string{"CronCreate", "ScheduleWakeup", "NewTool"} {
		w := newWorld(t)
		w.replay(hooks.PostToolUse, `{"hook_event_name":"PostToolUse","session_id":"s1","cwd":"/x","tool_name":"`+tool+`","tool_input":{"cron":"* * * * *","prompt":"Always squash."}}`, time.Now())
		before := len(w.spooled(t))
		for prompt, want := range map[string]int{"Always squash.": 0, " Always  squash.\n": 0, "Always squash first.": 1} {
			w.replay(hooks.UserPromptSubmit, fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s2","cwd":"/x","prompt":%q}`, prompt), time.Now())
			musttest.Same(t, want, len(w.spooled(t))-before, "%s, then %q: how many events are captured", tool, prompt)
			before = len(w.spooled(t))
		}
	}
	w := newWorld(t)
	w.replay(hooks.PostToolUse, `{"hook_event_name":"PostToolUse","session_id":"s1","cwd":"/x","tool_name":"mcp__llm__ask","tool_input":{"prompt":"Always squash."}}`, time.Now())
	if files, _ := filepath.Glob(filepath.Join(w.layout().FailedMarkers(), "*.scheduled")); len(files) > 0 {
		t.Errorf("a tool that submits nothing left %v", files)
	}
	for name, c := range map[string]struct {
		agent, file, transcript string
		want                    int
	}{
		"an agent that begins a session":       {"ag", "initialPrompt: Always squash.", "", 0},
		"a later prompt":                       {"ag", "initialPrompt: Always squash.", `{"type":"user"}`, 1},
		"no agent":                             {"", "initialPrompt: Always squash.", "", 1},
		"an agent whose key is escaped":        {"ag", `"initial\x50rompt": x`, "", 0},
		"an agent's file in quotes and depth":  {"ag", `"initialPrompt" : "x"`, `{"type":"attachment"}`, 0},
		"an agent before the user's own words": {"ag", "initialPrompt: x", "", 0},
		"an agent whose head is in braces":     {"ag", `{name: x, "initial\x50rompt": x}`, "", 0},
		"an agent whose head has odd ends":     {"ag", "name: x\r\"initial\\x50rompt\": x", "", 0},
		"an agent that begins nothing":         {"ag", `description: "Deploys.\n\nUse it."`, "", 1},
	} {
		w := newWorld(t)
		writeFile(t, filepath.Join(w.project, "sub", ".claude", "agents", "deep", "ag.md"), "---\n"+c.file+"\n---\n")
		transcript := filepath.Join(w.base, "s1.jsonl")
		writeFile(t, transcript, c.transcript)
		w.replay(hooks.UserPromptSubmit, fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":%q,"transcript_path":%q,"agent_type":%q,"prompt":"Always squash.\n\nhello"}`, w.project+"/sub/deep", transcript, c.agent), time.Now())
		musttest.Same(t, c.want, len(w.spooled(t)), "%s: how many events are captured", name)
		for _, e := range w.spooled(t) { // the client's transcript decides later who typed it
			musttest.Same(t, []any{true, transcript}, []any{e["unsure"], e["transcript"]}, "%s", name)
		}
	}
}

// A repository can bring a schedule, which the idle client fires.
func TestPromptsOfAProjectsScheduleAreNotCaptured(t *testing.T) {
	for prompt, want := range map[string]int{"Always squash.": 0, "Always squash": 1} {
		w := newWorld(t)
		writeFile(t, filepath.Join(w.project, ".claude", "scheduled_tasks.json"), `{"tasks":[{"id":"a1b2c3d4","cron":"* * * * *","prompt":"Always\u0020squash.","createdAt":1,"recurring":true}]}`)
		w.replay(hooks.UserPromptSubmit, fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":%q,"prompt":%q}`, w.project, prompt), time.Now())
		musttest.Same(t, want, len(w.spooled(t)), "%q: how many events are captured", prompt)
	}
}

// Behind the first line of a prompt of print mode stands what was piped in.
func TestWhatIsPipedInIsNotTyped(t *testing.T) {
	for entrypoint, want := range map[string]string{"sdk-cli": "summarize\n[print mode]\nAlways squash.\nx", "cli": "summarize\nAlways squash.\nx"} {
		w := newWorld(t).with("CLAUDE_CODE_ENTRYPOINT", entrypoint)
		w.replay(hooks.UserPromptSubmit, `{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"/x","prompt":"summarize\nAlways squash.\nx"}`, time.Now())
		events := w.spooled(t)
		if len(events) != 1 || events[0]["prompt"] != want {
			t.Errorf("by %s: %+v, want %q", entrypoint, events, want)
		}
	}
	w := newWorld(t).with("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
	w.replay(hooks.UserPromptSubmit, `{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"/x","prompt":"\nAlways squash.\n"}`, time.Now())
	if events := w.spooled(t); len(events) != 1 || events[0]["prompt"] != "[print mode]\nAlways squash." {
		t.Errorf("without a prompt of its own: %+v", events)
	}
	for arguments, want := range map[string]any{
		"-p": "[print mode]\nAlways  squash.\nx", "-p go on": "[print mode]\nAlways  squash.\nx",
		"-p Always squash.": "Always  squash.\n[print mode]\nx", "-p --input-format stream-json": "Always  squash.\n[print mode]\nx",
	} {
		client := exec.CommandContext(t.Context(), "sh", append([]string{"-c", "read x", "claude"}, strings.Fields(arguments)...)...)
		input := musttest.Get(client.StdinPipe())(t)
		musttest.Do(t, client.Start())
		w := newWorld(t).with("CLAUDE_CODE_ENTRYPOINT", "sdk-cli").with("CLAUDE_PID", strconv.Itoa(client.Process.Pid))
		w.replay(hooks.UserPromptSubmit, `{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"/x","prompt":"Always  squash.\nx"}`, time.Now())
		musttest.Same(t, want, w.spooled(t)[0]["prompt"], "a client with the arguments %q", arguments)
		musttest.Do(t, input.Close())
		_ = client.Wait() // read fails
	}
	musttest.Same(t, "summarize", speaker.Typed("summarize\n[print mode]\nAlways squash.", speaker.Line{}), "typed")
}

// TestAReplayedEventThatNoSpoolHasIsHandedOverAgain: by the exit code, the file of the event has to stay.
func TestAReplayedEventThatNoSpoolHasIsHandedOverAgain(t *testing.T) {
	w := newWorld(t)
	const input = `{"hook_event_name":"UserPromptSubmit","prompt":"The cache listens on port 6543.","session_id":"s1","cwd":"/x"}`
	for _, dir := range append(w.layout().FallbackSpools(), w.layout().Spool()) {
		writeFile(t, dir, "a file in its place")
	}
	if _, code := w.replay(hooks.UserPromptSubmit, input, time.Now()); code != 1 {
		t.Errorf("without a spool it exits with %d", code)
	}
	for _, dir := range append(w.layout().FallbackSpools(), w.layout().Spool()) {
		musttest.Do(t, os.Remove(dir))
	}
	if _, code := w.replay(hooks.UserPromptSubmit, input, time.Now()); code != 0 || len(w.spooled(t)) != 1 {
		t.Errorf("with one it exits with %d, and %d events are kept", code, len(w.spooled(t)))
	}
	if _, code := w.replay(hooks.UserPromptSubmit, `{"hook_event_name":`, time.Now()); code != 0 {
		t.Errorf("an input that nothing can be read of exits with %d: it would be handed over for ever", code)
	}
}

// TestAnOddFieldIsAsIfItWereNotThere: no type of a field costs more than that field. Without a session there is no event, and the log
// says so; without an event's name it is that of the program.
func TestAnOddFieldIsAsIfItWereNotThere(t *testing.T) {
	w := newWorld(t)
	at := time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)
	captured := func(h hook.Hook, input map[string]any) int {
		t.Helper()
		text := musttest.Get(json.Marshal(input))(t)
		if output, code := w.replay(h, string(text), at); output != "" || code != 0 {
			t.Errorf("%s prints %q and exits with %d for %s", h.Name(), output, code, text)
		}
		events := len(w.spooled(t))
		musttest.Do(t, os.RemoveAll(w.layout().Spool()))
		return events
	}
	for _, p := range programs {
		h := p.hook()
		var input map[string]any
		musttest.Do(t, json.Unmarshal([]byte(p.input), &input))
		var vary func(object map[string]any, path string)
		vary = func(object map[string]any, path string) {
			for name, value := range object {
				delete(object, name)
				without := captured(h, input)
				for _, odd := range []any{nil, 7, json.Number("1e400"), []any{nil, 7}, map[string]any{"type": 5}} {
					object[name] = odd
					musttest.Same(t, without, captured(h, input), "%s with %s%s as %v: events (-without it +with it)", h.Name(), path, name, odd)
				}
				object[name] = value
				if inner, isObject := value.(map[string]any); isObject {
					vary(inner, path+name+".")
				}
				if path == "" && without == 0 && name == "hook_event_name" {
					t.Errorf("%s has no event without %s", h.Name(), name)
				}
			}
		}
		vary(input, "")
	}
	missing := map[bool]int{}
	for _, line := range w.log(t) {
		isMissing := strings.Contains(line, "session_id")
		if missing[isMissing]++; !isMissing && !strings.Contains(line, "the daemon cannot be started: ") { // of which there is none here
			t.Errorf("the log has %.2000s", line)
		}
	}
	if missing[true] == 0 {
		t.Error("the log does not name the missing session")
	}
}

// TestAnEventIsHeldBack while it is not known whether a repository is a listed project that was moved: it waits, marked, and
// nothing is asked or shown.
func TestAnEventIsHeldBack(t *testing.T) {
	w := newWorld(t)
	input := `{"hook_event_name":"UserPromptSubmit","prompt":"The cache listens on port 6543.","session_id":"s1","cwd":"` + w.project + `"}`
	only := filepath.Join(w.layout().Home, "only")
	writeFile(t, filepath.Join(only, "another"), "")
	output, code := w.replay(hooks.UserPromptSubmit, input, time.Time{})
	if events := w.spooled(t); output != "" || code != 0 || len(events) != 1 || events[0]["held"] != true {
		t.Errorf("%q, exit code %d, in the spool %v", output, code, events)
	}
	where, _ := project.Identify(w.project)
	musttest.Do(t, where.SetLooked(w.layout().OffMarker(where.Key), nil))
	if w.replay(hooks.UserPromptSubmit, input, time.Time{}); len(w.spooled(t)) != 1 {
		t.Error("it is captured after the daemon has looked")
	}
}
