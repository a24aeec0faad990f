//go:build linux

package main

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

// TestAHomeIsTheUsersAlone looks at each file and folder of a home in which a daemon has stored, journaled and backed up.
// An engine makes its files as it likes, in a folder that is closed.
func TestAHomeIsTheUsersAlone(t *testing.T) {
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	a := h.fill(t, 0, 3)
	h.call(t, daemonapi.MethodBackup.Call("", &daemonapi.BackupResult{}))
	a.stop(t)
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
