//go:build unix

package resident

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

// TestDataThatOthersMayReadIsClosed is about folders that were there before the
// daemon: an engine's files are as open as their folder.
func TestDataThatOthersMayReadIsClosed(t *testing.T) {
	base := t.TempDir()
	layout := paths.Layout{Home: filepath.Join(base, "home")}
	for name, cfg := range map[string]config.Config{
		"in the home": {},
	} {
		data := layout.Data()
		if err := errors.Join(os.MkdirAll(data, 0o755), os.Chmod(data, 0o755), os.Chmod(layout.Home, 0o755)); err != nil && name == "in the home" {
			t.Fatal(err)
		}
		if err := (Home{Layout: layout, Config: cfg}).takeFolders(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, dir := range []string{data, layout.Home, layout.Run(), layout.Logs()} {
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("%s: %s has mode %v, %v; want 0700", name, dir, info.Mode(), err)
			}
		}
		musttest.Do(t, os.Chmod(data, 0o777))
		if err := (Home{Layout: layout, Config: cfg}).takeFolders(); !errors.Is(err, private.ErrUnsafe) {
			t.Errorf("%s: data that others may write to: %v, want private.ErrUnsafe", name, err)
		}
		musttest.Do(t, os.Chmod(data, 0o700))
	}
}
