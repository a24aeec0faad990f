//go:build e2e && linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
)

// requireShown requires these parts in the messages of a session's start to its user.
func requireShown(t *testing.T, run Result, parts ...string) {
	t.Helper()
	shown := shownToUser(t, run)
	for _, part := range parts {
		if !strings.Contains(shown, part) {
			t.Errorf("the user is shown %q, without %q", shown, part)
		}
	}
}

// withoutPackages has a plugin whose engine is not installed anywhere, and an npm that fails.
func (u *User) withoutPackages(t *testing.T) {
	t.Helper()
	u.Plugin = movablePlugin(t)
	sources := filepath.Join(u.Plugin, "engine")
	musttest.Do(t, os.Remove(sources))
	musttest.Do(t, os.Mkdir(sources, 0o700))
	for _, name := range []string{"package.json", "package-lock.json", "server.mjs"} {
		musttest.Do(t, os.WriteFile(filepath.Join(sources, name), must(os.ReadFile(filepath.Join(PluginDir(), "engine", name))), 0o600))
	}
	programs := withoutNode(t)
	node := musttest.Get(exec.LookPath("node"))(t)
	musttest.Do(t, os.Symlink(node, filepath.Join(programs, "node")))
	musttest.Do(t, plugintest.WriteProgram(filepath.Join(programs, "npm"), []byte("#!/bin/sh\necho 'npm error network registry unreachable' >&2\nexit 1\n")))
	u.Env = []string{"PATH=" + programs, "MEMORY_ENGINE_DIR=" + filepath.Join(filepath.Dir(u.Home), "packages")}
}

// TestAFailedInstallationIsTold: npm cannot install the engine. The user gets a message with the command that tries
// again, and the captured events are stored once there is an engine.
func TestAFailedInstallationIsTold(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.withoutPackages(t)
	first := u.Run(t.Context(), remembered)
	requireGoodRun(t, first, "SessionStart:startup", "UserPromptSubmit", "SessionEnd:other")
	second := u.Run(t.Context(), "Is anything wrong?")
	for range 5 { // a session's start can be answered while the daemon tries once more
		if !strings.Contains(shownToUser(t, second), "is being installed") {
			break
		}
		second = u.Run(t.Context(), "Is anything wrong?")
	}
	requireShown(t, second, "could not be installed", "registry", "engine install")

	u.memory(t, nil, "daemon", "stop")
	u.Plugin, u.Env = PluginDir(), nil
	u.requireRecovered(t, api, first)
}

// TestADamagedStoreIsTold: the files of the store are damaged between two sessions. The store is rebuilt from backup
// and journal, the user gets a message, and the model the stored facts.
func TestADamagedStoreIsTold(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	first := u.Run(t.Context(), remembered)
	u.stored(t, first.SessionID)
	u.memory(t, nil, "daemon", "stop")
	manifests := must(filepath.Glob(filepath.Join(u.MemoryHome, "data", "MANIFEST-*")))
	if len(manifests) == 0 {
		t.Fatal("the store has no manifest")
	}
	for _, file := range manifests {
		musttest.Do(t, os.WriteFile(file, []byte("no manifest, and long enough to be read as one"), 0o600))
	}
	u.Run(t.Context(), "Go on, please.")
	var status struct{ State, Notice string }
	await(t, time.Minute, "the store that is rebuilt", func() bool {
		u.memory(t, &status, "status")
		return status.State == "ready" && strings.Contains(status.Notice, "damaged")
	})
	last := u.Run(t.Context(), "Which port?")
	requireShown(t, last, "the store's files were damaged", "status")
	musttest.Same(t, 1, count(lastRequest(t, api, "Which port?").Injected("SessionStart"), fact), "how often the fact is told after the damage")
}

// TestADaemonThatCannotStartIsTold: its program is no program, as after an upgrade that was cut short. Nothing of the
// session is lost, and nothing of it is held up.
func TestADaemonThatCannotStartIsTold(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.Plugin = movablePlugin(t)
	memoryd := filepath.Join(u.Plugin, "libexec", "memoryd")
	musttest.Do(t, plugintest.WriteProgram(memoryd, []byte("half of a program")))
	first := u.Run(t.Context(), remembered)
	requireGoodRun(t, first, "SessionStart:startup", "UserPromptSubmit", "Stop", "SessionEnd:other")
	requireShown(t, first, "the daemon cannot be started", "doctor", "kept for later")

	u.Plugin = PluginDir()
	u.requireRecovered(t, api, first)
}
