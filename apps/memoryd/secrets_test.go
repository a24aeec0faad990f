//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

// A key that its name gives away, and one that an older version journaled.
var (
	apiKey   = "sumo_api_key = 'su" + "Ab3dE6gH9jK2m'"
	oldToken = "gh" + "p_" + strings.Repeat("aB3dE6", 6)
)

func noted(n int, text string) memory.Event {
	at := time.Date(2026, 11, 20, 12, 0, 0, n, time.UTC)
	return memory.Event{
		ID: memory.NewEventID(at), At: at, Kind: memory.EventPrompt, Session: "s",
		Project: memory.Project{Key: "p", Name: "p", Root: "/p"}, Prompt: "remember: " + text,
	}
}

// TestSecretsAreTakenOutOfWhatComesAndWhatIsKept runs the real daemon on a real
// engine: secrets are taken out of ingested events, and by a scrub of the kept ones. The log names a setting that has a
// token in the place of a number, without the token.
func TestSecretsAreTakenOutOfWhatComesAndWhatIsKept(t *testing.T) {
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	h.env = []string{"MEMORY_DAEMON_BATCH_SIZE=" + oldToken}
	musttest.Do(t, os.MkdirAll(h.layout.Home, 0o700))
	old := journal.New(h.layout.Journal(), func() time.Time { return time.Now().Add(-time.Hour) })
	event := noted(1, "deploy with "+oldToken)
	musttest.Do(t, old.Append(daemontest.Journaled(event)...))
	musttest.Do(t, old.Close())
	musttest.Do(t, spool.New(h.layout.Spool()).Put(noted(2, apiKey)))
	musttest.Do(t, os.MkdirAll(h.layout.Logs(), 0o700))
	for _, file := range []string{h.layout.HookLog(), h.layout.HookLog() + ".old", h.layout.DaemonLog()} {
		musttest.Do(t, os.WriteFile(file, []byte("cannot reach "+oldToken+"\nan honest line\n"), 0o600))
	}
	a := h.fill(t, 0, 0)
	if log, err := os.ReadFile(h.layout.DaemonLog()); err != nil || !strings.Contains(string(log), "a setting is not used") ||
		!strings.Contains(string(log), "[redacted:github-token]") || strings.Count(string(log), oldToken) != 1 {
		t.Errorf("the log says %s, %v", log, err) // the token is in the line that the test wrote
	}
	var kept []daemonapi.Listed
	h.call(t, daemonapi.MethodMemories.Call(memory.Filter{Project: "p", Limit: 10}, &kept))
	// The journal has an event that the store lacks, so the daemon has taken that in again.
	said := fmt.Sprint(kept)
	if len(kept) != 2 || !strings.Contains(said, "[redacted:api-key]") || strings.Contains(said, "Ab3dE6") || strings.Contains(said, oldToken) {
		t.Errorf("stored: %+v", kept)
	}

	var seen, done, again daemonapi.ScrubResult
	h.call(t, daemonapi.MethodScrub.Call(daemonapi.ScrubParams{}, &seen))
	if seen.Journal.Records != 2 || seen.Kinds["github-token"] != 2 || !strings.Contains(readBelow(t, h.layout.Journal()), oldToken) {
		t.Errorf("a dry run found %+v, or has changed something", seen)
	}
	if logs := seen.Logs; logs < 3 || !strings.Contains(readBelow(t, h.layout.Logs()), oldToken) {
		t.Errorf("a dry run found %d logs, or has changed something", logs)
	}
	h.call(t, daemonapi.MethodScrub.Call(daemonapi.ScrubParams{Apply: true}, &done))
	if logs := readBelow(t, h.layout.Logs()); done.Logs != seen.Logs || strings.Contains(logs, oldToken) {
		t.Errorf("a run emptied %d logs, and left %s", done.Logs, logs)
	}
	if done.Journal.Records != 2 { // the prompt, and the memory of it
		t.Errorf("a run found %+v", done)
	}
	h.call(t, daemonapi.MethodScrub.Call(daemonapi.ScrubParams{}, &again))
	if again.Journal.Records != 0 || len(again.Kinds) != 0 {
		t.Errorf("after it there is %+v", again)
	}
	if text, err := json.Marshal([]daemonapi.ScrubResult{seen, done}); err != nil || strings.Contains(string(text), oldToken) {
		t.Errorf("the secret is told: %s, %v", text, err)
	}
	a.stop(t)
	if log, err := os.ReadFile(h.layout.DaemonLog()); err != nil || !strings.Contains(string(log), "secrets were removed") {
		t.Errorf("the daemon's log does not go on: %s, %v", log, err)
	}
	if strings.Contains(readBelow(t, h.layout.Logs()), "Ab3dE6") {
		t.Error("the secret is in a log")
	}
}

// readBelow returns the contents of the files in a folder.
func readBelow(t *testing.T, dir string) string {
	t.Helper()
	files := musttest.Get(filepath.Glob(filepath.Join(dir, "*")))(t)
	var all strings.Builder
	for _, file := range files {
		text := musttest.Get(os.ReadFile(file))(t)
		all.Write(text)
	}
	return all.String()
}
