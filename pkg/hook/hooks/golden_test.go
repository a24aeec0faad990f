package hooks_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

var update = flag.Bool("update", false, "write testdata/hook-golden anew")

// clock is the time of every hook that runs in this process.
var clock = time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)

// injected is the fake daemon's context for a session.
const injected = "<surrealdb-memory>\n- deploys go through \"make ship\"\n</surrealdb-memory>"

// golden is the recorded effect of one input.
type golden struct {
	Event      map[string]any `json:"event"` // the spooled event; null for none
	Alone      effect         `json:"without_a_daemon"`
	WithDaemon effect         `json:"with_a_daemon"`
}

type effect struct {
	Stdout   string   `json:"stdout"`
	Stderr   []string `json:"stderr,omitempty"`
	Exit     int      `json:"exit,omitempty"`
	Log      []string `json:"log,omitempty"`
	Requests []call   `json:"requests,omitempty"` // to the daemon
}

func TestHooksDoWithEachInputWhatIsRecorded(t *testing.T) {
	t.Setenv("PATH", "/usr/bin:/bin") // where no memory command is, so that its path is shown
	used := map[string]bool{}
	for name, input := range inputs(t) {
		used[name+".json"] = true
		t.Run(name, func(t *testing.T) {
			var got golden
			got.Event, got.Alone = runWithoutDaemon(t, input)
			file := filepath.Join(repository, "testdata", "hook-golden", name+".json")
			var again map[string]any
			// A capture hook spends 20 ms at most on a busy daemon, so on a busy machine a request may be missing.
			for range 5 {
				again, got.WithDaemon = runWithDaemon(t, input)
				if len(got.WithDaemon.Requests) >= recordedRequests(t, file) {
					break
				}
			}
			musttest.Same(t, got.Event, again, "a daemon changes the spooled event (-without +with)")
			compare(t, file, got)
		})
	}
	entries := musttest.Get(os.ReadDir(filepath.Join(repository, "testdata", "hook-golden")))(t)
	for _, entry := range entries {
		if !used[entry.Name()] {
			t.Errorf("testdata/hook-golden/%s belongs to no input: delete it", entry.Name())
		}
	}
}

// recordedRequests returns how many requests to the daemon a golden file has; none if there is no such file yet.
func recordedRequests(t *testing.T, file string) int {
	t.Helper()
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	var recorded golden
	musttest.Do(t, errors.Join(err, json.Unmarshal(content, &recorded)))
	return len(recorded.WithDaemon.Requests)
}

// inputs are the recorded inputs of the events that are served and whose matcher passes them, and made ones.
func inputs(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	files := musttest.Get(filepath.Glob(filepath.Join(repository, "testdata", "hook-input", "*.json")))(t)
	for _, file := range files {
		if input := readFile(t, file); isPassed(t, input) {
			all[strings.TrimSuffix(filepath.Base(file), ".json")] = input
		}
	}
	for name, input := range madeInputs {
		if _, taken := all[name]; taken {
			t.Fatalf("two inputs are named %s", name)
		}
		all[name] = toJSON(t, input)
	}
	return all
}

// isPassed reports whether the client would start a program of ours for an input.
func isPassed(t *testing.T, input string) bool {
	t.Helper()
	var head struct {
		Event string `json:"hook_event_name"`
		Tool  string `json:"tool_name"`
	}
	musttest.Do(t, json.Unmarshal([]byte(input), &head))
	for _, r := range registered(t)[head.Event] {
		if r.passes(head.Tool) {
			return true
		}
	}
	return false
}

func hookOf(t *testing.T, input string) (hook.Hook, bool) {
	t.Helper()
	var head struct {
		Event string `json:"hook_event_name"`
	}
	musttest.Do(t, json.Unmarshal([]byte(input), &head))
	for _, h := range served {
		if h.Event == head.Event {
			return h, true
		}
	}
	return hook.Hook{}, false
}

func runWithoutDaemon(t *testing.T, input string) (map[string]any, effect) {
	t.Helper()
	w := newWorld(t)
	out := runInProcess(t, w, input)
	return onlyEvent(t, w), out
}

func runWithDaemon(t *testing.T, input string) (map[string]any, effect) {
	t.Helper()
	w := newWorld(t)
	a := startDaemon(t, w, injected)
	out := runInProcess(t, w, input)
	out.Requests = a.requests(t)
	for _, c := range out.Requests {
		if wait, asked := c.Params["wait_ms"].(float64); asked {
			if wait <= 0 || wait > float64(warmDeadline.Milliseconds()) {
				t.Errorf("%s: the daemon may take %v ms, the hook waits %s", c.Method, wait, warmDeadline)
			}
			delete(c.Params, "wait_ms")
		}
		if before, is := c.Params["before"].(string); is {
			c.Params["before"] = neutralID(t, before)
		}
		if root, is := c.Params["root"].(string); is {
			c.Params["root"] = w.neutral(root)
		}
	}
	return onlyEvent(t, w), out
}

// Deadlines that no run reaches, different ones, because requests to the daemon carry them.
const (
	warmDeadline = 20 * time.Second
	coldDeadline = 30 * time.Second
)

// runInProcess runs the hook that serves the input.
func runInProcess(t *testing.T, w *world, input string) effect {
	t.Helper()
	t.Setenv("TMPDIR", w.env["TMPDIR"])
	if strings.Contains(input, "/home/dev/project/transcript-") {
		w.copyTranscripts(t)
	}
	w = w.patient()
	h, isServed := hookOf(t, input)
	if !isServed {
		t.Fatalf("nothing serves %s", input)
	}
	var stdout, stderr bytes.Buffer
	process := w.process(h, w.local(input), &stdout, &stderr)
	process.Environ, process.Now = os.Environ(), func() time.Time { return clock }
	return effect{Exit: hook.Run(h, process), Stdout: w.neutral(stdout.String()), Stderr: lines(w.neutral(stderr.String())), Log: lines(w.neutral(strings.Join(w.log(t), "\n")))}
}

// patient is the same world with deadlines that no run meets.
func (w *world) patient() *world {
	return w.with("MEMORY_HOOKS_DEADLINE", warmDeadline.String(), "MEMORY_HOOKS_SESSION_START_DEADLINE", coldDeadline.String())
}

// copyTranscripts puts transcripts into the project, for the hooks that read one.
func (w *world) copyTranscripts(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repository, "testdata", "hook-input", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		writeFile(t, filepath.Join(w.project, filepath.Base(file)), readFile(t, file))
	}
	writeFile(t, filepath.Join(w.project, "transcript-garbage.jsonl"), "{\"type\":\"assistant\",\n\x00\xff\"assistant\"\n{\"type\":\"assistant\",\"message\":7}\n[\"assistant\"]\n")
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// onlyEvent is the one spooled event without its random part and this machine's paths, or nil.
func onlyEvent(t *testing.T, w *world) map[string]any {
	t.Helper()
	events := w.spooled(t)
	if len(events) == 0 {
		return nil
	}
	if len(events) > 1 {
		t.Fatalf("%d events of one input", len(events))
	}
	events[0]["id"] = neutralID(t, fmt.Sprint(events[0]["id"]))
	var event map[string]any
	musttest.Do(t, json.Unmarshal([]byte(w.neutral(toJSON(t, events[0]))), &event))
	return event
}

var eventID = regexp.MustCompile(`^([0-9a-f]{16})-[0-9a-f]{12}$`)

func neutralID(t *testing.T, id string) string {
	t.Helper()
	parts := eventID.FindStringSubmatch(id)
	if parts == nil {
		t.Fatalf("%q is no event id", id)
	}
	return parts[1] + "-random"
}

func compare(t *testing.T, file string, got golden) {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	musttest.Do(t, encoder.Encode(got))
	for _, hidden := range append([]string{filepath.Join(temporary, "w"), "private words", "injected words"}, secrets...) {
		if strings.Contains(text.String(), hidden) {
			t.Errorf("%q must not be in\n%s", hidden, &text)
		}
	}
	if *update {
		writeFile(t, file, text.String())
		return
	}
	musttest.Same(t, lines(readFile(t, file)), lines(text.String()), "%s (-recorded +now; -update records it)", file)
}
