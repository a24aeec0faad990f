//go:build linux

package doctor_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/doctor"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

// newLocalPatient has its store in its home, on the embedded engine.
func newLocalPatient(t *testing.T) *patient {
	t.Helper()
	p := newPatient(t)
	for _, name := range []string{"SURREAL_URL", "SURREAL_USER", "SURREAL_PASS"} {
		delete(p.env, name)
	}
	sources, packages, err := enginetest.Dirs()
	p.must(err)
	p.env[enginetest.DirVariable] = packages
	p.must(os.Symlink(sources, filepath.Join(p.dir, "plugin", "engine")))
	for _, name := range []string{"memoryd", "memory-migrate"} { // a program finds its plugin by where its file is
		file := filepath.Join(p.dir, "plugin/libexec", name)
		content, err := os.ReadFile(file)
		p.must(err)
		p.must(os.Remove(file))
		p.must(plugintest.WriteProgram(file, content))
	}
	return p
}

func TestADamagedStoreIsSaidToBeDamaged(t *testing.T) {
	p := newLocalPatient(t)
	p.journal(memory.Event{ID: memory.NewEventID(noon), At: noon, Kind: memory.EventPrompt, Session: "s", Project: memory.Project{Key: "p", Name: "p", Root: "/p"}, Prompt: "hello"})
	p.migrate("up")
	manifests, err := filepath.Glob(filepath.Join(p.layout.Data(), "MANIFEST-*"))
	if err != nil || len(manifests) == 0 {
		t.Fatal("there is no manifest", err)
	}
	for _, file := range manifests {
		p.must(os.WriteFile(file, []byte("no manifest, and long enough to be read as one"), 0o600))
	}
	d := p.doctor()
	findings := d.Examine(t.Context())
	f := find(t, findings, "store")
	if f.Severity != doctor.Error || !strings.Contains(f.Message, "the store's files are damaged") || !strings.Contains(f.Remedy, "memory backup rebuild") {
		t.Errorf("found %+v", f)
	}
	for _, f := range findings {
		if f.IsLeft() && strings.Contains(f.Remedy, "store.url") {
			t.Errorf("a local store has no URL: %+v", f)
		}
	}
	find(t, d.Fix(t.Context(), findings), "store")
	for _, f := range p.doctor().Examine(t.Context()) {
		if f.IsLeft() && (f.Check == "store" || f.Check == "rows") {
			t.Errorf("after the rebuild: %+v", f)
		}
	}
}

func (p *patient) journal(events ...memory.Event) {
	p.t.Helper()
	j := journal.New(p.layout.Journal(), time.Now)
	for _, e := range events {
		p.must(j.Append(daemontest.Journaled(e)...))
	}
	p.must(j.Close())
}

func TestAMistakeInTheSettingsFileHasAPlace(t *testing.T) {
	p := newPatient(t)
	p.write("home/config.json", "{\n  \"daemon\": {\n    \"batch_size\": 7,,\n  }\n}\n")
	f := find(t, p.doctor().Examine(t.Context()), "settings")
	if f.Severity != doctor.Error || !strings.Contains(f.Message, "line 3, column 21") || strings.Contains(f.Remedy, "config set") {
		t.Errorf("found %+v", f)
	}
}

// TestDeletedFilesAreFoundAndRebuilt, whether a daemon waits for them or none runs: doctor --fix is the remedy that is named.
func TestDeletedFilesAreFoundAndRebuilt(t *testing.T) {
	for _, state := range []string{"", "waiting"} {
		p := newLocalPatient(t)
		p.journal(memory.Event{ID: memory.NewEventID(noon), At: noon, Kind: memory.EventPrompt, Session: "s", Project: memory.Project{Key: "p", Name: "p", Root: "/p"}, Prompt: "hello"})
		p.migrate("up")
		p.must(os.RemoveAll(p.layout.Data()))
		if state != "" {
			p.answer(daemonapi.MethodStatus.Handle(func(context.Context, daemonapi.None) (daemonapi.StatusResult, error) {
				return daemonapi.StatusResult{State: state, PID: os.Getpid(), Trouble: &daemonapi.Trouble{Problem: "the store is missing", Command: "backup rebuild --yes"}}, nil
			}))
			p.startDaemon()
		}
		f := find(t, p.doctor().Examine(t.Context()), "store")
		if f.Severity != doctor.Error || !f.Fixable || !strings.Contains(f.Message, "is missing") {
			t.Errorf("daemon %q: found %+v", state, f)
		}
	}
}

func TestRowsThatVanishedAreFound(t *testing.T) {
	p := newPatient(t)
	for n := range 3 {
		at := noon.Add(time.Duration(n) * time.Second)
		p.journal(memory.Event{ID: memory.NewEventID(at), At: at, Kind: memory.EventPrompt, Session: "s", Project: memory.Project{Key: "p", Name: "p", Root: "/p"}, Prompt: "hello"})
	}
	stored := 3
	p.answer(daemonapi.MethodStatus.Handle(func(context.Context, daemonapi.None) (daemonapi.StatusResult, error) {
		return daemonapi.StatusResult{State: "ready", PID: os.Getpid(), Store: &memory.Stats{Prompts: stored}}, nil
	}))
	p.startDaemon()
	vanished := func() bool {
		d := p.doctor()
		d.Config.Store.URL = "" // of a shared store this journal does not know all
		for _, f := range d.Examine(t.Context()) {
			if f.Check == "rows" {
				return f.Severity == doctor.Error && f.Fixable && strings.Contains(f.Remedy, "memory backup rebuild")
			}
		}
		return false
	}
	if vanished() {
		t.Error("all is there, and rows are said to have vanished")
	}
	stored = 2
	if !vanished() {
		t.Error("a row has vanished, and nothing is said")
	}
}
