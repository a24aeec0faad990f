//go:build unix

package backup_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
)

// TestAPipeIsNoBackup: it is refused without waiting for it.
func TestAPipeIsNoBackup(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "backup.gz")
	musttest.Do(t, syscall.Mkfifo(pipe, 0o600))
	read := make(chan error, 1)
	go func() {
		_, err := backup.Check(pipe)
		read <- err
	}()
	select {
	case err := <-read:
		musttest.Is(t, backup.ErrForeign, err, "a pipe")
	case <-time.After(20 * time.Second):
		t.Error("a pipe is waited for")
	}
}
