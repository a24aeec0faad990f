//go:build linux

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

// A backup was made while the clock was a year ahead. Neither its name nor its time puts it before later backups, and
// the journal since then is replayed.
func TestABackupOfAWrongClockIsNotTheNewest(t *testing.T) {
	onlyInChaos(t)
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	a := h.fill(t, 0, 10)
	var made daemonapi.BackupResult
	h.call(t, daemonapi.MethodBackup.Call("", &made))
	a.stop(t)
	wrong := filepath.Join(h.layout.Backups(), backup.Name(time.Now().AddDate(1, 0, 0)))
	musttest.Do(t, os.Rename(made.File, wrong))
	a = h.fill(t, 10, 15)
	h.call(t, daemonapi.MethodBackup.Call("", &made))
	a.stop(t)
	h.fill(t, 15, 20).stop(t)
	listed, err := backup.List(h.layout.Backups())
	if err != nil || len(listed) != 2 || listed[0] != made.File || listed[1] != wrong {
		t.Errorf("the newest first: %v, %v", listed, err)
	}
	musttest.Do(t, os.Remove(made.File)) // only that of the wrong clock is left
	h.mustRun(t, "--rebuild")
	h.holds(t, 20)
}
