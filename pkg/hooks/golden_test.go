package hooks_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
)

var update = flag.Bool("update", false, "write testdata/hook-golden from what the hooks do now")

// clock is the time of every hook that runs in this process.
var clock = time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)

// injected is what the fake agent gives a session.
const injected = "<surrealdb-memory>\n- deploys go through \"make ship\"\n</surrealdb-memory>"

// golden is what one input leads to.
type golden struct {
	Event     map[string]any `json:"event"` // what was spooled; null for nothing
	Alone     effect         `json:"without_an_agent"`
	WithAgent effect         `json:"with_an_agent"`
}

type effect struct {
	Stdout   string                         `json:"stdout"`
	Stderr   []string                       `json:"stderr,omitempty"`
	Log      []string                       `json:"log,omitempty"`
	Asked    *agentapi.SessionContextParams `json:"asked,omitempty"`
	Notified int                            `json:"notified,omitempty"`
}

func TestHooksDoWithEachInputWhatIsRecorded(t *testing.T) {
	used := map[string]bool{}
	for name, input := range inputs(t) {
		used[name+".json"] = true
		t.Run(name, func(t *testing.T) {
			var got golden
			got.Event, got.Alone = runWithoutAgent(t, input)
			var again map[string]any
			again, got.WithAgent = runWithAgent(t, input)
			if diff := cmp.Diff(got.Event, again); diff != "" {
				t.Errorf("an agent changes what is spooled (-without +with):\n%s", diff)
			}
			compare(t, filepath.Join(repository, "testdata", "hook-golden", name+".json"), got)
		})
	}
	entries, err := os.ReadDir(filepath.Join(repository, "testdata", "hook-golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !used[entry.Name()] {
			t.Errorf("testdata/hook-golden/%s belongs to no input: delete it", entry.Name())
		}
	}
}

// inputs are the recorded inputs of the events that are served, and made ones.
func inputs(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	files, err := filepath.Glob(filepath.Join(repository, "testdata", "hook-input", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		input := readFile(t, file)
		if _, isServed := hookOf(t, input); isServed {
			all[strings.TrimSuffix(filepath.Base(file), ".json")] = input
		}
	}
	if len(all) < len(served) {
		t.Fatalf("only %d recorded inputs in testdata/hook-input", len(all))
	}
	for name, input := range madeInputs {
		if _, taken := all[name]; taken {
			t.Fatalf("two inputs are named %s", name)
		}
		all[name] = toJSON(t, input)
	}
	return all
}

func hookOf(t *testing.T, input string) (hook.Hook, bool) {
	t.Helper()
	var head struct {
		Event string `json:"hook_event_name"`
	}
	if err := json.Unmarshal([]byte(input), &head); err != nil {
		t.Fatal(err)
	}
	for _, h := range served {
		if h.Event == head.Event {
			return h, true
		}
	}
	return hook.Hook{}, false
}

func runWithoutAgent(t *testing.T, input string) (map[string]any, effect) {
	t.Helper()
	w := newWorld(t)
	out := runInProcess(t, w, input)
	return onlyEvent(t, w), out
}

func runWithAgent(t *testing.T, input string) (map[string]any, effect) {
	t.Helper()
	w := newWorld(t)
	a := startAgent(t, w, injected)
	out := runInProcess(t, w, input)
	event := onlyEvent(t, w)
	if event != nil {
		a.awaitNotification(t)
	}
	a.stop()
	out.Notified = int(a.notified.Load())
	select {
	case asked := <-a.asked:
		if asked.WaitMS <= 0 || asked.WaitMS > int(warmDeadline.Milliseconds()) {
			t.Errorf("the agent may take %d ms, the hook waits %s", asked.WaitMS, warmDeadline)
		}
		asked.WaitMS = 0
		asked.Before = neutralID(t, asked.Before)
		out.Asked = &asked
	default:
	}
	return event, out
}

// Deadlines that no run meets, told apart by what the hook tells the agent.
const (
	warmDeadline = 20 * time.Second
	coldDeadline = 30 * time.Second
)

// runInProcess runs the hook that serves the input, with a plugin that has no
// memoryd.
func runInProcess(t *testing.T, w *world, input string) effect {
	t.Helper()
	t.Setenv("TMPDIR", w.env["TMPDIR"])
	for _, name := range []string{"SETUP", "SESSION_START", "USER_PROMPT", "POST_TOOL_USE", "POST_TOOL_USE_FAILURE", "SESSION_END"} {
		w.env["MEMORY_HOOKS_"+name+"_DEADLINE"] = coldDeadline.String()
	}
	w.env["MEMORY_HOOKS_SESSION_START_WARM_DEADLINE"] = warmDeadline.String()
	h, isServed := hookOf(t, input)
	if !isServed {
		t.Fatalf("nothing serves %s", input)
	}
	var stdout, stderr bytes.Buffer
	hook.Run(h, hook.Process{
		Stdin: strings.NewReader(w.local(input)), Stdout: &stdout, Stderr: &stderr,
		Getenv:     func(name string) string { return w.env[name] },
		Executable: filepath.Join(w.plugin, "libexec", h.Name),
		Now:        func() time.Time { return clock },
	})
	return effect{
		Stdout: w.neutral(stdout.String()),
		Stderr: lines(w.neutral(stderr.String())),
		Log:    lines(w.neutral(strings.Join(w.log(t), "\n"))),
	}
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// onlyEvent is the one spooled event without its random part and this machine's
// paths, or nil.
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
	if err := json.Unmarshal([]byte(w.neutral(toJSON(t, events[0]))), &event); err != nil {
		t.Fatal(err)
	}
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
	if err := encoder.Encode(got); err != nil {
		t.Fatal(err)
	}
	for _, hidden := range append([]string{os.TempDir(), "private words", "injected words"}, secrets...) {
		if strings.Contains(text.String(), hidden) {
			t.Errorf("%q must not be in\n%s", hidden, &text)
		}
	}
	if *update {
		writeFile(t, file, text.String())
		return
	}
	if diff := cmp.Diff(lines(readFile(t, file)), lines(text.String())); diff != "" {
		t.Errorf("%s (-recorded +now; -update records it):\n%s", file, diff)
	}
}
