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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

func (p *patient) journal(events ...memory.Event) {
	p.t.Helper()
	j := journal.New(p.layout.Journal(), time.Now)
	for _, e := range events {
		musttest.Do(p.t, j.Append(daemontest.Journaled(e)...))
	}
	musttest.Do(p.t, j.Close())
}

func TestAMistakeInTheSettingsFileIsCorrectedByHand(t *testing.T) {
	p := newPatient(t)
	p.write("home/config.json", "{\n  \"daemon\": {\n    \"batch_size\": 7,,\n  }\n}\n")
	f := find(t, p.doctor().Examine(t.Context()), "settings")
	if f.Severity != doctor.Error || !strings.Contains(f.Message, "invalid character ','") || strings.Contains(f.Remedy, "config set") {
		t.Errorf("found %+v", f)
	}
}

// TestDeletedFilesAreFound, whether a daemon waits for them or none runs.
func TestDeletedFilesAreFound(t *testing.T) {
	for _, isRunning := range []bool{false, true} {
		p := newPatient(t)
		musttest.Do(p.t, os.MkdirAll(filepath.Dir(p.layout.Data()), 0o700))
		musttest.Do(p.t, engine.WriteDataFormat(p.layout.Data(), "3.0.2"))
		p.answer(daemonapi.MethodStatus.Handle(func(context.Context, daemonapi.None) (daemonapi.StatusResult, error) {
			return daemonapi.StatusResult{State: "waiting", PID: os.Getpid(), Trouble: &daemonapi.Trouble{Problem: "the store is missing", Command: "backup rebuild --yes"}}, nil
		}))
		if isRunning {
			p.startDaemon()
		}
		f := find(t, p.doctor().Examine(t.Context()), "store")
		if f.Severity != doctor.Error || f.Remedy != "memory backup rebuild --yes" || !strings.Contains(f.Message, "is missing") {
			t.Errorf("with a daemon %v: found %+v", isRunning, f)
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
		for _, f := range p.doctor().Examine(t.Context()) {
			if f.Check == "rows" {
				return f.Severity == doctor.Error && strings.Contains(f.Remedy, "memory backup rebuild")
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
