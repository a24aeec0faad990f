//go:build unix

package resident

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

// TestDataThatOthersMayReadIsClosed is about folders that were there before the
// daemon: an engine's files are as open as their folder.
func TestDataThatOthersMayReadIsClosed(t *testing.T) {
	layout := paths.Layout{Home: filepath.Join(t.TempDir(), "home")}
	data := layout.Data()
	musttest.Do(t, errors.Join(os.MkdirAll(data, 0o755), os.Chmod(data, 0o755), os.Chmod(layout.Home, 0o755)))
	musttest.Do(t, (Home{Layout: layout}).takeFolders())
	for _, dir := range []string{data, layout.Home, layout.Run(), layout.Logs()} {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %v, %v; want 0700", dir, info.Mode(), err)
		}
	}
	musttest.Do(t, os.Chmod(data, 0o777))
	musttest.Is(t, private.ErrUnsafe, (Home{Layout: layout}).takeFolders(), "data that others may write to")
}
