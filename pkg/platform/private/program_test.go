//go:build unix

package private_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

// A program that others may replace, or whose folder they may write to, is passed over for the next of that name.
func TestAProgramThatOthersMayReplaceIsNotStarted(t *testing.T) {
	base := t.TempDir()
	program := func(dir string, folder, file os.FileMode) string {
		dir = filepath.Join(base, dir)
		path := filepath.Join(dir, "engine")
		musttest.Do(t, errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700), os.Chmod(path, file), os.Chmod(dir, folder)))
		return dir
	}
	open, replaceable, safe := program("open", 0o777, 0o700), program("replaceable", 0o755, 0o757), program("safe", 0o755, 0o755)
	list := string(filepath.ListSeparator)
	t.Setenv("PATH", "relative"+list+open+list+replaceable+list+safe)
	if got, err := private.LookPath("engine"); got != filepath.Join(safe, "engine") || err != nil {
		t.Errorf("found is %s, %v", got, err)
	}
	t.Setenv("PATH", open+list+replaceable)
	if got, err := private.LookPath("engine"); !errors.Is(err, private.ErrUnsafe) {
		t.Errorf("found is %s, %v", got, err)
	}
	if got, err := private.LookPath(filepath.Join(open, "engine")); !errors.Is(err, private.ErrUnsafe) {
		t.Errorf("by its path found is %s, %v", got, err)
	}
	musttest.Do(t, os.Symlink(filepath.Join(open, "engine"), filepath.Join(safe, "linked")))
	musttest.Is(t, private.ErrUnsafe, private.Program(filepath.Join(safe, "linked")), "behind a link")
	musttest.Is(t, exec.ErrNotFound, musttest.Err(private.LookPath("none")), "without any")
}
