package hooks_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// toldUser runs a session start and returns the messages to its user and to the model.
func toldUser(t *testing.T, w *world, source string, options ...func(*exec.Cmd)) (user, model string) {
	t.Helper()
	start := programs[0]
	out := start.run(t, w, strings.NewReader(strings.Replace(w.local(start.input), `"source":"startup"`, `"source":"`+source+`"`, 1)), options...)
	if out.Stdout == "" {
		return "", ""
	}
	var answer struct {
		SystemMessage      string
		HookSpecificOutput struct{ AdditionalContext string }
	}
	musttest.Do(t, json.Unmarshal([]byte(out.Stdout), &answer))
	return answer.SystemMessage, answer.HookSpecificOutput.AdditionalContext
}

// A session start reports the reason why memory does not work, once, in one message with one command; a setting turns that off.
func TestASessionReportsWhyMemoryIsOff(t *testing.T) {
	w := newWorld(t)
	a := startDaemon(t, w, injected)
	if user, model := toldUser(t, w, "startup"); user != "" || model != injected {
		t.Errorf("without trouble the user sees %q, the model %q", user, model)
	}
	a.trouble = &daemonapi.Trouble{Problem: "no database engine was found", Help: "install Node.js; then", Command: "daemon start"}
	want := "surrealdb-memory: no database engine was found. Meanwhile, events are kept for later." +
		" To fix it: install Node.js; then: ! memory daemon start"
	for source, want := range map[string]string{"startup": want, "resume": want, "clear": want, "compact": ""} {
		if user, model := toldUser(t, w, source); user != want || model != injected {
			t.Errorf("%s: the user sees %q, want %q; the model %q", source, user, want, model)
		}
	}
	if user, _ := toldUser(t, w.with("MEMORY_HOOKS_NOTICES", "false"), "startup"); user != "" {
		t.Errorf("against the setting the user sees %q", user)
	}
	a.trouble = &daemonapi.Trouble{Problem: "the folder /srv/somewhere/deep/down/below/a/data cannot be written", Command: "doctor"}
	want = "surrealdb-memory: the folder /srv/somewhere/deep/down/below/a/data cannot be written. Meanwhile, events are kept for later. To fix it: ! memory doctor"
	if user, _ := toldUser(t, w, "startup"); user != want {
		t.Errorf("the user is told %q, want %q", user, want)
	}
	a.trouble = &daemonapi.Trouble{Problem: "the store was rebuilt", Command: "status", IsOver: true}
	if user, _ := toldUser(t, w, "startup"); user != "surrealdb-memory: the store was rebuilt. Details: ! memory status" {
		t.Errorf("of a solved problem the user is told %q", user)
	}
	a.trouble = &daemonapi.Trouble{Problem: "the database engine is being installed (71 MB, once)"}
	want = "surrealdb-memory: the database engine is being installed (71 MB, once). Meanwhile, events are kept for later."
	if user, _ := toldUser(t, w, "startup"); user != want {
		t.Errorf("the user sees %q, want %q", user, want)
	}
}

// A daemon that ends before it can answer has left word why; the session neither waits for it longer, nor is it silent.
func TestASessionReportsWhyNoDaemonStarts(t *testing.T) {
	w := newWorld(t)
	in := w.installed(t, "session-start")
	script(t, w, "memoryd", `echo '{"problem":"the daemon cannot start: no room","command":"doctor"}' > "$MEMORY_HOME/run/memoryd.trouble"`+"\n")
	patient := w.with("MEMORY_HOOKS_SESSION_START_DEADLINE", "20s")
	if user, _ := toldUser(t, patient, "startup", in); !strings.Contains(user, "the daemon cannot start: no room") || !strings.HasSuffix(user, "doctor") {
		t.Errorf("the user sees %q", user)
	}
	script(t, w, "memoryd", "\n")
	if user, _ := toldUser(t, w.with("MEMORY_HOME", w.env["MEMORY_HOME"]+"2"), "startup", in); !strings.Contains(user, "did not start in time") {
		t.Errorf("after a daemon died without a message the user sees %q", user)
	}
}

// While the home cannot be written, events wait in a fallback spool, and are not lost.
func TestASessionReportsThatItsEventsAreKeptElsewhere(t *testing.T) {
	w := newWorld(t)
	writeFile(t, filepath.Join(w.base, "taken"), "") // a file where the home's folder should be
	elsewhere := w.with("MEMORY_HOME", filepath.Join(w.base, "taken", "home"))
	user, _ := toldUser(t, elsewhere, "startup")
	if !strings.Contains(user, "the daemon cannot be reached") || !strings.Contains(user, "events are kept for later") || strings.Contains(user, "lost") {
		t.Errorf("the user sees %q", user)
	}
	nowhere := elsewhere.with("HOME", filepath.Join(w.base, "taken"), "XDG_RUNTIME_DIR", "")
	if user, _ := toldUser(t, nowhere, "startup"); !strings.Contains(user, "Meanwhile, events are lost") {
		t.Errorf("without any place for an event the user sees %q", user)
	}
}

// The daemon learns which program asks and its PATH, and nothing else of the environment.
func TestASessionHandsOverItsPathOnly(t *testing.T) {
	w := newWorld(t).with("PATH", "/nvm/bin:/bin", "ANTHROPIC_API_KEY", "not-for-the-daemon")
	a := startDaemon(t, w, "")
	toldUser(t, w, "startup")
	a.requests(t)
	a.mu.Lock()
	defer a.mu.Unlock()
	want := `{"program":"` + filepath.Join(filepath.Dir(libexec), "libexec", "memoryd") + `","path":"/nvm/bin:/bin"}`
	if len(a.met) != 1 || a.met[0] != want {
		t.Errorf("the daemon met %q, want %s", a.met, want)
	}
}
