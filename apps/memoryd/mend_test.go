//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths/plugintest"
)

// withoutSurreal is the PATH without the folders that have a surreal.
func withoutSurreal() string {
	var dirs []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "surreal")); err != nil {
			dirs = append(dirs, dir)
		}
	}
	return "PATH=" + strings.Join(dirs, ":")
}

func (h *home) breakManifest(t *testing.T) {
	t.Helper()
	manifests, err := filepath.Glob(filepath.Join(h.layout.Data(), "MANIFEST-*"))
	if err != nil || len(manifests) == 0 {
		t.Fatal("there is no manifest", err)
	}
	for _, file := range manifests {
		if err := os.WriteFile(file, []byte("no manifest, and long enough to be read as one"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// isStored waits until an agent has stored everything, and no letter is dead.
func (h *home) isStored(t *testing.T) {
	t.Helper()
	h.await(t, "everything to be stored", func() bool {
		h.waiting(t) // ends the test at a dead letter
		status, err := h.status(t)
		return err == nil && status.State == "ready" && status.Spool == agentapi.SpoolStatus{} && status.Store != nil
	})
}

func (h *home) keptData(t *testing.T) []string {
	t.Helper()
	kept, err := filepath.Glob(h.layout.Data() + ".rocksdb-*Z")
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

func TestADamagedStoreIsRebuiltByItself(t *testing.T) {
	t.Parallel()
	enginetest.Endpoint(t)
	for name, damaged := range map[string]func(t *testing.T, h *home) *runningAgent{
		"before the agent starts": func(t *testing.T, h *home) *runningAgent {
			a := h.fill(t, 0, 5)
			a.stop(t)
			h.breakManifest(t)
			return h.fill(t, 5, 8)
		},
		"while it runs": func(t *testing.T, h *home) *runningAgent {
			a := h.fill(t, 0, 5)
			h.breakManifest(t)
			kill(t, h.enginePID(t))
			for n := 5; n < 8; n++ {
				h.spool(t, n)
			}
			return a
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			a := damaged(t, h)
			h.await(t, "the notice", func() bool {
				status, err := h.status(t)
				return err == nil && strings.Contains(status.Notice, "the store's files were damaged")
			})
			h.isStored(t)
			h.check(t, 8)
			if kept := h.keptData(t); len(kept) != 1 {
				t.Errorf("kept is %v, want the damaged data", kept)
			}
			a.stop(t)
		})
	}
}

// TestARebuildThatFailsIsTriedAgain: something is in its way for a while, and nobody starts the agent anew.
func TestARebuildThatFailsIsTriedAgain(t *testing.T) {
	onlyInChaos(t)
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	a := h.fill(t, 0, 5)
	inTheWay := h.layout.Backups()
	if err := os.WriteFile(inTheWay, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h.breakManifest(t)
	kill(t, h.enginePID(t))
	h.spool(t, 5)
	h.await(t, "status to say why the store cannot be rebuilt", func() bool {
		status, err := h.status(t)
		return err == nil && strings.Contains(status.Reason, "list the backups")
	})
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	h.await(t, "the notice", func() bool {
		status, err := h.status(t)
		return err == nil && strings.Contains(status.Notice, "the store's files were damaged")
	})
	h.isStored(t)
	h.check(t, 6)
	a.stop(t)
}

// The embedded engine is missing. The newer one restores a backup, and an older one does not get the data again: it is
// reported, and a rebuild creates a store for it.
func TestANewerSurrealTakesOver(t *testing.T) {
	onlyInChaos(t)
	t.Parallel()
	enginetest.Endpoint(t)
	real := surrealForTest(t)
	h := newHome(t)
	h.env = []string{withoutSurreal()}
	h.fill(t, 0, 5).stop(t)

	program := filepath.Join(t.TempDir(), "surreal") // this test's own, to be taken away
	if err := os.Symlink(real, program); err != nil {
		t.Fatal(err)
	}
	h.env = []string{"PATH=" + filepath.Dir(program)}
	a := h.fill(t, 5, 10)
	status, err := h.status(t)
	if err != nil || status.Engine.Kind != string(engine.Binary) || !strings.Contains(status.Notice, "took the store over") {
		t.Errorf("the engine is %s, the notice %q (%v)", status.Engine.Name, status.Notice, err)
	}
	h.isStored(t)
	h.check(t, 10)
	a.stop(t)
	if kept := h.keptData(t); len(kept) != 1 || !strings.Contains(kept[0], "rocksdb-3.0") {
		t.Errorf("kept is %v, want the data of the embedded engine", kept)
	}

	h.env = []string{withoutSurreal()} // such as an IDE's PATH: the binary is recorded
	a = h.fill(t, 10, 12)
	h.check(t, 12)
	a.stop(t)

	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	h.spool(t, 12)
	a = h.start(t)
	h.await(t, "the older engine to be refused", func() bool {
		status, err := h.status(t)
		return err == nil && strings.Contains(status.Reason, "back on the PATH") && strings.Contains(status.Reason, "memory backup rebuild")
	})
	if n := h.waiting(t); n != 1 {
		t.Errorf("%d events wait, want 1", n)
	}
	out := h.mustRun(t, "rebuild")
	_ = a.cmd.Wait() // the rebuild has asked it to end
	a = h.fill(t, 0, 0)
	h.isStored(t)
	h.check(t, 13)
	if status, err := h.status(t); err != nil || status.Engine.Kind != string(engine.Embedded) {
		t.Errorf("the engine is %s (%v); the rebuild said:\n%s", status.Engine.Name, err, out)
	}
	a.stop(t)
}

// A surreal 4 cannot open the data of any 3: it takes over by the newest backup and the journal.
func TestVersion4TakesOver(t *testing.T) {
	onlyInChaos(t)
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	h.env = []string{withoutSurreal()}
	h.fill(t, 0, 5).stop(t)
	h.env = []string{"PATH=" + filepath.Dir(fakeSurreal4(t))}
	a := h.fill(t, 5, 10)
	status, err := h.status(t)
	if err != nil || status.Engine.Name != "binary (SurrealDB 4.0.0)" {
		t.Errorf("the engine is %s (%v)", status.Engine.Name, err)
	}
	h.isStored(t)
	h.check(t, 10)
	a.stop(t)
	made, _, err := engine.ReadMade(h.layout.Data())
	if err != nil || made.Storage != engine.SurrealKV {
		t.Errorf("the data belongs to %+v (%v)", made, err)
	}
}

// fakeSurreal4 reports to be a surreal 4, and runs the embedded engine's server.
func fakeSurreal4(t *testing.T) string {
	t.Helper()
	_, packages, err := enginetest.Dirs()
	if err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js is not installed")
	}
	secret, program := filepath.Join(t.TempDir(), "secret.json"), filepath.Join(t.TempDir(), "surreal")
	script := fmt.Sprintf(`#!/bin/sh
[ "$1" = version ] && { echo "4.0.0 for linux on x86_64"; exit; }
umask 077
printf '{"user":"%%s","pass":"%%s"}' "$SURREAL_USER" "$SURREAL_PASS" > %[1]q
exec %[2]q %[3]q --secret-file %[1]q --port "${3##*:}" --data "$7"
`, secret, node, filepath.Join(packages, "server.mjs"))
	if err := plugintest.WriteProgram(program, []byte(script)); err != nil {
		t.Fatal(err)
	}
	return program
}

func surrealForTest(t *testing.T) string {
	t.Helper()
	program := enginetest.Surreal()
	if program == "" {
		t.Skipf("there is no surreal on the PATH, and %s names none", enginetest.SurrealVariable)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if output, err := exec.CommandContext(ctx, program, "version").CombinedOutput(); err != nil {
		t.Fatalf("%s cannot be run: %v: %s", program, err, output)
	}
	return program
}
