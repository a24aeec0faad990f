//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// storeLimit limits the wait until the store has a client's events.
const storeLimit = 10 * time.Second

// stored is all that the store knows of a session that has ended, read past the daemon. The session has to become
// completed: that it ended is stored a little after its client is gone.
func (u *User) stored(t *testing.T, session string) memory.SessionRecord {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), storeLimit)
	defer cancel()
	store := u.store(t)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		u.memory(t, nil, "daemon", "ingest")
		record, err := memory.RecordOf(ctx, store, session)
		if err == nil && record.Session.State == memory.SessionCompleted {
			return record
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("session %s is %q after %v, want it to be completed: %v", session, record.Session.State, storeLimit, err)
		}
	}
}

// store opens the user's running engine, by the file in which the daemon keeps the way in.
func (u *User) store(t *testing.T) *surreal.Store {
	t.Helper()
	defaults := config.Default().Store
	conn := wire.Open(wire.Options{
		Namespace: defaults.Namespace, Database: defaults.Database,
		Locate: func(context.Context) (engine.Endpoint, error) {
			var found struct{ URL, User, Pass string }
			file, err := os.ReadFile(filepath.Join(u.MemoryHome, "run", "engine.json"))
			if err != nil {
				return engine.Endpoint{}, err
			}
			err = json.Unmarshal(file, &found)
			return engine.Endpoint{URL: found.URL, User: found.User, Pass: found.Pass}, err
		},
	})
	t.Cleanup(func() {
		if err := conn.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return surreal.NewStore(conn)
}

// memory runs the product's command like the user and decodes its output into result, unless that is nil.
func (u *User) memory(t *testing.T, result any, args ...string) {
	t.Helper()
	if result != nil {
		args = append(args, "--json")
	}
	command := exec.CommandContext(t.Context(), filepath.Join(u.Plugin, "bin", "memory"), args...)
	command.Dir, command.Env = u.Project, append(u.environment(), "MEMORY_HOME="+u.MemoryHome)
	var problems strings.Builder
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		t.Fatalf("memory %q: %v\n%s", args, err, problems.String())
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(output, result); err != nil {
		t.Fatalf("memory %q: %v\n%s", args, err, output)
	}
}

// configure writes settings, as KEY=VALUE, into the settings file of the user's home, where the daemon finds them when it starts.
func (u *User) configure(t *testing.T, settings ...string) {
	t.Helper()
	for _, each := range settings {
		key, value, _ := strings.Cut(each, "=")
		musttest.Do(t, config.Set(filepath.Join(u.MemoryHome, "config.json"), key, value))
	}
}

// texts returns the prompts of a session, each with its number, such as "1 the question".
func texts(prompts []memory.Prompt) []string {
	all := []string{}
	for _, p := range prompts {
		all = append(all, fmt.Sprintf("%d %s", p.Number, p.Text))
	}
	return all
}

// seen are the contents of the memories of a kind that a session showed, each as often as it did.
func seen(a memory.SessionRecord, kind memory.Kind) []string {
	all := []string{}
	for _, s := range a.Seen {
		if s.Memory.Kind == kind {
			all = append(all, s.Memory.Content)
		}
	}
	return all
}

// sessionEvents are the texts of the events of a kind that a session has.
func sessionEvents(a memory.SessionRecord, kind memory.EventKind) []string {
	all := []string{}
	for _, m := range a.SessionEvents {
		if m.Kind == kind {
			all = append(all, m.Text)
		}
	}
	return all
}

// requireNoRecallStored wants nothing that was put before the model to have come back as captured text.
func requireNoRecallStored(t *testing.T, a memory.SessionRecord) {
	t.Helper()
	all := texts(a.Prompts)
	for _, s := range a.Seen {
		all = append(all, s.Memory.Content, s.Memory.Detail)
	}
	for _, m := range a.SessionEvents {
		all = append(all, m.Text)
	}
	if i := slices.IndexFunc(all, func(text string) bool {
		return strings.Contains(text, "surrealdb-memory") || strings.Contains(text, "From earlier sessions: data")
	}); i >= 0 {
		t.Errorf("injected text was captured: %q", all[i])
	}
}
