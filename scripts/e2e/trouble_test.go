//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
)

// shownToUser returns the messages of the session's start to its user.
func shownToUser(t *testing.T, run Result) string {
	t.Helper()
	for _, hook := range run.Hooks {
		if hook.Event != "SessionStart" || hook.Stdout == "" {
			continue
		}
		var answer struct{ SystemMessage string }
		if err := json.Unmarshal([]byte(hook.Stdout), &answer); err != nil {
			t.Fatalf("the hook answers %q: %v", hook.Stdout, err)
		}
		return answer.SystemMessage
	}
	return ""
}

// withoutNode returns a PATH with everything that the client needs, except Node.js.
func withoutNode(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"git", "sh", "bash", "cat", "env"} {
		program := musttest.Get(exec.LookPath(name))(t)
		musttest.Do(t, os.Symlink(program, filepath.Join(dir, name)))
	}
	return dir
}

// TestWithoutNodeTheSessionSaysSo: the first sessions come from an IDE without Node.js on its PATH and get a message;
// one from a shell with Node.js repairs the running daemon, and the events since then are not lost.
func TestWithoutNodeTheSessionSaysSo(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.Env = []string{"PATH=" + withoutNode(t)}
	first := u.Run(t.Context(), remembered)
	if said := shownToUser(t, first); !strings.Contains(said, "the database engine ") || !strings.Contains(said, "events are kept") {
		t.Errorf("without Node.js the user is told %q", said)
	}
	u.Env = append(u.Env, "MEMORY_HOOKS_NOTICES=false")
	musttest.Same(t, "", shownToUser(t, u.Run(t.Context(), "Quiet, please.")), "against the setting the user is told")
	u.Env = nil
	u.requireRecovered(t, api, first)
}

// daemonPID is the process of the daemon that runs.
func daemonPID(t *testing.T, u *User) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(u.MemoryHome, "run", "memoryd.pid"))
	if err != nil {
		return 0
	}
	return must(strconv.Atoi(strings.TrimSpace(string(content))))
}

// movablePlugin copies the plugin's programs, so that they can be rebuilt and
// deleted.
func movablePlugin(t *testing.T) string {
	t.Helper()
	root := copyPlugin(t, func(map[string]any) {}, false)
	for _, name := range []string{"bin", "libexec"} {
		musttest.Do(t, os.Remove(filepath.Join(root, name)))
		musttest.Do(t, plugintest.CopyPrograms(filepath.Join(root, name), filepath.Join(PluginDir(), name)))
	}
	return root
}

// TestAnUpgradedPluginsDaemonTakesOver: the next session of a newer plugin has its
// own daemon serve; without the plugin's folder daemon and engine end.
func TestAnUpgradedPluginsDaemonTakesOver(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.Plugin = movablePlugin(t)
	u.Run(t.Context(), remembered)
	old := daemonPID(t, u)
	u.Plugin = movablePlugin(t)
	musttest.Do(t, plugintest.BuildOf("-X main.version=999.0.0 -X main.stamp=9999999999", filepath.Join(u.Plugin, "libexec"), "../../apps/memoryd"))
	second := u.Run(t.Context(), "Which port?")
	requireGoodRun(t, second, "SessionStart:startup", "SessionEnd:other")
	musttest.Same(t, 1, count(lastRequest(t, api, "Which port?").Injected("SessionStart"), fact), "how often the session that replaces the daemon is told the fact")
	await(t, time.Minute, "the newer daemon", func() bool { pid := daemonPID(t, u); return pid != 0 && pid != old && alive(pid) && !alive(old) })
	u.stored(t, second.SessionID)
	u.requireStored(t, 2, 2)
	pids := u.daemonProcesses()
	musttest.Do(t, os.RemoveAll(u.Plugin))
	await(t, time.Minute, "daemon and engine to end", func() bool { return !alive(pids[0]) && !alive(pids[1]) })
	u.Plugin, u.stopped = PluginDir(), true
}

// requireRecovered: two sessions after the trouble the user gets no message, and the model gets the statement of the
// first one, once.
func (u *User) requireRecovered(t *testing.T, api *FakeAPI, first Result) {
	t.Helper()
	u.Run(t.Context(), "It should work now.")
	u.stored(t, first.SessionID)
	last := u.Run(t.Context(), "Which port?")
	musttest.Same(t, "", shownToUser(t, last), "after the trouble the user is told")
	musttest.Same(t, 1, count(lastRequest(t, api, "Which port?").Injected("SessionStart"), fact), "how often the session that replaces the daemon is told the fact")
}
