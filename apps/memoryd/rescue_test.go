//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// run runs memoryd to its end.
func (h *home) run(t *testing.T, args ...string) (output string, err error) {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.Command(h.memoryd, args...)
	cmd.Env = append(h.environment(t), h.env...)
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	return said.String(), err
}

func (h *home) mustRun(t *testing.T, args ...string) string {
	t.Helper()
	out, err := h.run(t, args...)
	if err != nil {
		t.Fatalf("memoryd %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// call asks the daemon of the home.
func (h *home) call(t *testing.T, call daemonapi.Call) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client := musttest.Get(daemonclient.Dial(ctx, h.layout.Socket()))(t)
	defer func() { _ = client.Close() }()
	if err := client.Call(ctx, call); err != nil {
		t.Fatalf("%s: %v", call.Method(), err)
	}
}

// fill starts a daemon and has it ingest facts.
func (h *home) fill(t *testing.T, from, to int) *runningDaemon {
	t.Helper()
	for n := from; n < to; n++ {
		h.spool(t, n)
	}
	a := h.start(t)
	h.await(t, "the facts to be stored", func() bool {
		status, err := h.status(t)
		return err == nil && status.Spool == daemonapi.SpoolStatus{} && status.Store != nil
	})
	return a
}

// backUp has the daemon write a backup, and returns the file.
func (h *home) backUp(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "b.jsonl.gz")
	h.call(t, daemonapi.MethodBackup.Call(file, nil))
	return file
}

// holds starts a daemon and counts the rows of its store.
func (h *home) holds(t *testing.T, want int) {
	t.Helper()
	a := h.fill(t, 0, 0)
	h.check(t, want)
	a.stop(t)
}

func (h *home) check(t *testing.T, want int) {
	t.Helper()
	status := musttest.Get(h.status(t))(t)
	if s := status.Store; s.Memories != want || s.Prompts != want || s.Sightings != want || s.Sessions != 1 || s.Projects != 1 {
		t.Errorf("the store has %+v, want %d of everything", *s, want)
	}
}

func (h *home) archived(t *testing.T) []daemonapi.Listed {
	t.Helper()
	var found []daemonapi.Listed
	h.call(t, daemonapi.MethodMemories.Call(memory.Filter{Statuses: []memory.Status{memory.StatusArchived}}, &found))
	return found
}

// damage makes the data of a home something that no engine opens.
func (h *home) damage(t *testing.T) {
	t.Helper()
	musttest.Do(t, filepath.WalkDir(h.layout.Data(), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return os.WriteFile(path, []byte("damaged"), 0o600)
	}))
}

func TestAStoreIsRebuiltFromBackupAndJournal(t *testing.T) {
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	a := h.fill(t, 0, 5)
	var made daemonapi.BackupResult
	h.call(t, daemonapi.MethodBackup.Call("", &made))
	if made.Rows < 5*3+2 || filepath.Dir(made.File) != h.layout.Backups() {
		t.Errorf("backed up %+v", made)
	}
	id := memory.NewID(memory.ScopeProject, "p", "fact 1")
	var all []daemonapi.Listed
	h.call(t, daemonapi.MethodMemories.Call(memory.Filter{}, &all))
	for _, m := range all {
		if strings.HasSuffix(m.Content, "fact 1") {
			id = m.ID
		}
	}
	change := memory.Change{ID: "change-1", At: time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC), By: "cli", Status: memory.StatusArchived, Reason: "wrong"}
	h.call(t, daemonapi.MethodAmend.Call(daemonapi.AmendParams{Project: "p", ID: id, Change: change}, nil))
	a.stop(t)
	h.isTheUsersAlone(t)
	a = h.fill(t, 5, 9) // after the backup, and by another daemon
	out := h.mustRun(t, "--rebuild")
	musttest.Is(t, nil, a.cmd.Wait(), "the daemon that was in the way")
	for _, says := range []string{"from the backup " + made.File, "3 writes, 20 rows", "backed up in", "is kept in " + h.layout.Data() + ".before"} {
		if !strings.Contains(out, says) {
			t.Errorf("rebuild does not say %q:\n%s", says, out)
		}
	}
	h.holdsArchived(t, 9, id).stop(t)

	h.damage(t)
	out = h.mustRun(t, "--rebuild")
	if !strings.Contains(out, "cannot be opened, so it is only moved aside") {
		t.Errorf("rebuild says\n%s", out)
	}
	a = h.holdsArchived(t, 9, id) // what is purged then, and is in the backup, is no loss
	h.call(t, daemonapi.MethodPurgeProject.Call(daemonapi.PurgeParams{Key: "p"}, nil))
	a.stop(t)
	h.damage(t)
	h.mustRun(t, "--rebuild")
	a = h.fill(t, 0, 0)
	var kept []daemonapi.Listed
	if h.call(t, daemonapi.MethodMemories.Call(memory.Filter{}, &kept)); len(kept) > 0 {
		t.Errorf("of the purged project is left %+v", kept)
	}
	a.stop(t)
	left, err := filepath.Glob(h.layout.Data() + ".*")
	if err != nil || len(left) != 2+1 { // the last old one with its record, and that of the new one
		t.Errorf("beside the data are %v, %v", left, err)
	}
}

// isTheUsersAlone looks at each file and folder of a home in which a daemon has stored, journaled and backed up.
// An engine makes its files as it likes, in a folder that is closed.
func (h *home) isTheUsersAlone(t *testing.T) {
	t.Helper()
	seen := map[string]bool{}
	musttest.Do(t, filepath.WalkDir(h.layout.Home, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		seen[filepath.Base(filepath.Dir(path))] = true
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if path == h.layout.Data() {
			return fs.SkipDir
		}
		return nil
	}))
	for _, dir := range []string{h.layout.Journal(), h.layout.Backups(), h.layout.Logs(), h.layout.Run(), h.layout.Spool()} {
		if !seen[filepath.Base(dir)] {
			t.Errorf("nothing lies in %s", dir)
		}
	}
}

// holdsArchived is holds with the archived fact. The daemon goes on.
func (h *home) holdsArchived(t *testing.T, want int, id string) *runningDaemon {
	t.Helper()
	a := h.fill(t, 0, 0)
	h.check(t, want)
	if found := h.archived(t); len(found) != 1 || found[0].ID != id || !strings.Contains(found[0].Detail, "wrong") {
		t.Errorf("archived are %+v, want %s", found, id)
	}
	return a
}

func TestABackupReplacesTheStore(t *testing.T) {
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	a := h.fill(t, 0, 3)
	file := h.backUp(t)
	h.spool(t, 3)
	h.spool(t, 4)
	h.call(t, daemonapi.MethodIngest.Call(daemonapi.None{}, nil))
	a.stop(t)
	h.mustRun(t, "--restore", file) // which saves the current rows: the 5, see below
	a = h.fill(t, 0, 0)
	h.check(t, 3)
	h.spool(t, 5)
	h.call(t, daemonapi.MethodIngest.Call(daemonapi.None{}, nil))
	a.stop(t)
	h.mustRun(t, "--rebuild") // rows from between the backup and its restore stay away
	h.holds(t, 4)
	saved, err := filepath.Glob(filepath.Join(h.layout.Backups(), "before-*"))
	if err != nil || len(saved) != 1 {
		t.Fatalf("of two stores that were replaced, %v are saved, want the last, %v", saved, err)
	}
	other := newHome(t) // of another machine, where nothing is stored yet
	list := musttest.Get(new(purged.List).With([]string{"fact 1"}, nil, nil))(t)
	musttest.Do(t, os.MkdirAll(other.layout.Home, 0o700))
	musttest.Do(t, list.Save(other.layout.Purged()))
	said := other.mustRun(t, "--restore", saved[0])
	if !regexp.MustCompile(`restored 13 rows of \S+, made on .*\n.*left out because of a purge: 3 rows`).MatchString(said) {
		t.Errorf("a restore with a purge says %q", said)
	}
	other.holds(t, 3)
}

func TestWhatIsLessIsNotTakenUnlessForced(t *testing.T) {
	onlyInChaos(t)
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	h.fill(t, 0, 4).stop(t)
	musttest.Do(t, os.RemoveAll(h.layout.Journal()))
	if out, err := h.run(t, "--rebuild"); err == nil || !strings.Contains(out, "nothing to rebuild from") {
		t.Errorf("rebuilt from nothing: %v, %s", err, out)
	}
	h.fill(t, 4, 6).stop(t)
	if out, err := h.run(t, "--rebuild"); err == nil || !strings.Contains(out, "memory (6)") || !strings.Contains(out, "--force") {
		t.Errorf("took a store with less: %v, %s", err, out)
	}
	h.holds(t, 6)
	h.mustRun(t, "--rebuild", "--force")
	h.holds(t, 2)
}

func TestARescueThatWasKilledLeavesTheStoreAsItWas(t *testing.T) {
	onlyInChaos(t)
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	a := h.fill(t, 0, 3)
	file := h.backUp(t)
	h.spool(t, 3)
	h.call(t, daemonapi.MethodIngest.Call(daemonapi.None{}, nil))
	a.stop(t)
	cmd := exec.Command(h.memoryd, "--restore", file)
	cmd.Env = h.environment(t)
	musttest.Do(t, cmd.Start())
	next := h.layout.Data() + ".next"
	h.awaitClosely(t, "the new store to be under way", func() bool {
		_, err := os.Stat(next)
		return err == nil
	})
	kill(t, cmd.Process.Pid)
	_ = cmd.Wait() // the error is that it was killed
	record := filepath.Join(h.layout.Run(), "next", "engine.json")
	h.await(t, "its engine to end", func() bool {
		var found struct{ PID int }
		data, err := os.ReadFile(record)
		return err != nil || json.Unmarshal(data, &found) != nil || found.PID == 0 || isGoneProcess(found.PID)
	})
	h.holds(t, 4)
	h.mustRun(t, "--restore", file)
	h.holds(t, 3)
	if _, err := os.Stat(next); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", next, err)
	}
}

func TestTheDaemonLeavesAnUnfinishedRestoreAlone(t *testing.T) {
	t.Parallel()
	endpoint := enginetest.Endpoint(t)
	namespace, database := enginetest.Database(t)
	h := newHome(t)
	cli := filepath.Join(h.newPlugin(t), "bin", "memory")
	for _, setting := range [][2]string{{"store.url", endpoint.URL}, {"store.user", endpoint.User}, {"store.namespace", namespace}, {"store.database", database}} {
		h.within(t, answerTime, "", cli, "config", "set", setting[0], setting[1])
	}
	h.env = []string{"SURREAL_PASS=" + endpoint.Pass}
	a := h.fill(t, 0, 3)
	file := h.backUp(t)
	a.stop(t)
	out, err := h.run(t, "--restore", file)
	if err == nil || !strings.Contains(out, "Run memory config set store.database NAME, ") {
		t.Fatalf("restored over a remote database: %v, %s", err, out)
	}
	h.within(t, answerTime, "", cli, "config", "set", "store.database", database+"_new")                    // as the message says
	musttest.Do(t, remote(t, endpoint, namespace, database+"_new").BeginRestore(t.Context(), "b.jsonl.gz")) // and is killed
	a = h.start(t)
	h.await(t, "the daemon to refuse", func() bool {
		status, err := h.status(t)
		return err == nil && status.State == "waiting" && strings.Contains(status.Reason, "unfinished result of restoring b.jsonl.gz")
	})
	a.stop(t)
	h.within(t, time.Minute, "", cli, "restore", "--yes", file)
	h.holds(t, 3)
	musttest.Is(t, nil, musttest.Err(backup.Check(file)), "backup.Check")
}

// remote connects to a database beside the programs.
func remote(t *testing.T, endpoint engine.Endpoint, namespace, database string) *surreal.Store {
	t.Helper()
	conn := wire.Open(wire.Options{Locate: func(context.Context) (engine.Endpoint, error) { return endpoint, nil }, Namespace: namespace, Database: database})
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return surreal.NewStore(conn)
}

// A key that its name gives away, and one that an older version journaled.
var (
	apiKey   = "sumo_api_key = 'su" + "Ab3dE6gH9jK2m'"
	oldToken = "gh" + "p_" + strings.Repeat("aB3dE6", 6)
)

func noted(n int, text string) memory.Event {
	at := time.Date(2026, 11, 20, 12, 0, 0, n, time.UTC)
	return memory.Event{ID: memory.NewEventID(at), At: at, Kind: memory.EventPrompt, Session: "s", Project: memory.Project{Key: "p", Name: "p", Root: "/p"}, Prompt: "remember: " + text}
}

// TestSecretsAreTakenOutOfWhatComesAndWhatIsKept runs the real daemon on a real engine: secrets are taken out of ingested events,
// and by a scrub of the kept ones. The log names a setting that has a token in the place of a number, without the token.
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
