//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	surrealdb "github.com/surrealdb/surrealdb.go"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
)

func (h *home) breakManifest(t *testing.T) {
	t.Helper()
	manifests, err := filepath.Glob(filepath.Join(h.layout.Data(), "MANIFEST-*"))
	if err != nil || len(manifests) == 0 {
		t.Fatal("there is no manifest", err)
	}
	for _, file := range manifests {
		musttest.Do(t, os.WriteFile(file, []byte("no manifest, and long enough to be read as one"), 0o600))
	}
}

// isStored waits until a daemon has stored everything, and no letter is dead.
func (h *home) isStored(t *testing.T) {
	t.Helper()
	h.await(t, "everything to be stored", func() bool {
		h.waiting(t) // ends the test at a dead letter
		status, err := h.status(t)
		return err == nil && status.State == "ready" && status.Spool == daemonapi.SpoolStatus{} && status.Store != nil
	})
}

func TestADamagedStoreIsRebuiltByItself(t *testing.T) {
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	h.fill(t, 0, 5).stop(t)
	h.breakManifest(t)
	a := h.fill(t, 5, 8)
	h.await(t, "the notice", func() bool {
		status, err := h.status(t)
		return err == nil && strings.Contains(status.Notice, "the store's files were damaged")
	})
	h.isStored(t)
	h.check(t, 8)
	if kept := musttest.Get(filepath.Glob(h.layout.Data() + ".before"))(t); len(kept) != 1 {
		t.Errorf("kept is %v, want the damaged data", kept)
	}
	a.stop(t)
}

// TestARebuildThatFailsIsTriedAgain: something is in its way for a while, and nobody starts the daemon anew.
func TestARebuildThatFailsIsTriedAgain(t *testing.T) {
	onlyInChaos(t)
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	a := h.fill(t, 0, 5)
	inTheWay := h.layout.Backups()
	musttest.Do(t, os.WriteFile(inTheWay, nil, 0o600))
	h.breakManifest(t)
	kill(t, h.enginePID(t))
	h.spool(t, 5)
	h.await(t, "status to say why the store cannot be rebuilt", func() bool {
		status, err := h.status(t)
		return err == nil && strings.Contains(status.Reason, "list the backups")
	})
	musttest.Do(t, os.Remove(inTheWay))
	h.await(t, "the notice", func() bool {
		status, err := h.status(t)
		return err == nil && strings.Contains(status.Notice, "the store's files were damaged")
	})
	h.isStored(t)
	h.check(t, 6)
	a.stop(t)
}

// TestAStoreThatIsDeletedTwiceIsRebuiltByTheNamedRemedy: the daemon rebuilds a store once an hour by itself, and then the command that is named does.
func TestAStoreThatIsDeletedTwiceIsRebuiltByTheNamedRemedy(t *testing.T) {
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	m := &machine{home: h, dir: t.TempDir()}
	h.fill(t, 0, 5)
	n := 5
	remove := func() {
		t.Helper()
		musttest.Do(t, os.RemoveAll(h.layout.Data()))
		kill(t, h.enginePID(t))
		h.spool(t, n)
		n++
		_, _ = m.command(t, "daemon", "ingest").CombinedOutput()
	}
	remove()
	h.await(t, "the notice", func() bool {
		status, err := h.status(t)
		return err == nil && strings.Contains(status.Notice, "the store's files were gone")
	})
	h.isStored(t)
	remove()
	h.await(t, "the reason", func() bool {
		status, err := h.status(t)
		return err == nil && status.Trouble != nil && status.Trouble.Command == "backup rebuild --yes"
	})
	if out, err := m.command(t, "backup", "rebuild", "--yes").CombinedOutput(); err != nil {
		t.Errorf("backup rebuild: %v: %s", err, out)
	}
	m.memory(t, "list") // starts a daemon
	h.isStored(t)
	h.check(t, n)
}

// TestEventsWaitForTheSchema has another version's daemon change the schema under a running one: the store refuses the events, and none of them is to blame.
func TestEventsWaitForTheSchema(t *testing.T) {
	t.Parallel()
	all := musttest.Get(migrate.Load(migrations.FS))(t)
	next := strconv.Itoa(len(all) + 1)
	later := "migration_history:" + next
	h := newHome(t)
	change, _ := h.serve(t)
	h.spool(t, 0)
	a := h.start(t)
	h.expectStored(t, 1)
	change("REMOVE FIELD cues ON memory; CREATE " + later + " CONTENT { version: " + next + ", name: 'later', sha256: '" + strings.Repeat("0", 64) + "', " +
		"binary_version: '9', applied_at: time::now(), duration_ms: 1 }")
	for n := 1; n < 5; n++ {
		h.spool(t, n)
	}
	h.await(t, "the daemon to say that the store is newer", func() bool {
		if h.waiting(t) == 0 {
			t.Fatal("nothing waits")
		}
		status, err := h.status(t)
		return err == nil && status.State == "waiting" && strings.Contains(status.Reason, "newer") && status.Trouble != nil &&
			strings.Contains(status.Trouble.Problem, "schema") && strings.Contains(status.Trouble.Remedy(), "claude plugin update")
	})
	change("DEFINE FIELD cues ON memory TYPE array<string>; DELETE " + later)
	h.expectStored(t, 5)
	a.stop(t)
}

// runSQL changes a database like another program.
func runSQL(t *testing.T, endpoint engine.Endpoint, namespace, database, sql string) {
	t.Helper()
	db, err := surrealdb.FromEndpointURLString(t.Context(), "http"+strings.TrimPrefix(endpoint.URL, "ws"))
	if err != nil {
		t.Fatal(err)
	}
	musttest.Do(t, db.Use(t.Context(), namespace, database))
	_, err = db.SignIn(t.Context(), surrealdb.Auth{Username: endpoint.User, Password: endpoint.Pass})
	if err == nil {
		_, err = surrealdb.Query[any](t.Context(), db, sql, nil)
	}
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
