//go:build unix

package private_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

// The users of the attacks. They need no entry in /etc/passwd.
const (
	somebody     = 61_001
	somebodyElse = 61_002
)

func folder(t *testing.T, mode fs.FileMode, elements ...string) string {
	t.Helper()
	dir := filepath.Join(elements...)
	musttest.Do(t, os.MkdirAll(dir, 0o700))
	musttest.Do(t, os.Chmod(dir, mode))
	return dir
}

func TestAFolderOfOursIsMadeAndClosed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	musttest.Do(t, private.Make(dir))
	for _, mode := range []fs.FileMode{0o700, 0o755, 0o711} {
		musttest.Do(t, os.Chmod(dir, mode))
		musttest.Is(t, nil, private.Check(dir), "mode %o", mode)
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("mode %o became %v, %v; want 0700", mode, info.Mode(), err)
		}
	}
}

func TestAFolderThatTheUserNamesIsClosed(t *testing.T) {
	base := t.TempDir()
	folder(t, 0o755, base, "disk")
	musttest.Do(t, os.Symlink("disk", filepath.Join(base, "link")))
	for name, dir := range map[string]string{"made": filepath.Join(base, "a", "b"), "there": filepath.Join(base, "disk"), "linked": filepath.Join(base, "link")} {
		if err := private.EnsureDir(dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: mode %v, %v; want 0700", name, info, err)
		}
	}
	musttest.Is(t, private.ErrUnsafe, private.EnsureDir(folder(t, 0o777, base, "open")), "an open folder was taken")
}

func TestAFolderThatOthersMayWriteToIsRefused(t *testing.T) {
	base := t.TempDir()
	for name, dir := range map[string]string{
		"the folder itself":  folder(t, 0o777, base, "open"),
		"with a sticky bit":  folder(t, 0o777|fs.ModeSticky, base, "sticky"),
		"below an open one":  folder(t, 0o700, folder(t, 0o777, base, "above"), "b", "c"),
		"through a link":     filepath.Join(base, "linked"),
		"through a link in":  filepath.Join(base, "linkedin", "c"),
		"a file":             filepath.Join(base, "file"),
		"a link to nothing":  filepath.Join(base, "dangling"),
		"no folder is there": filepath.Join(base, "file", "x"),
	} {
		t.Run(name, func(t *testing.T) {
			for link, to := range map[string]string{"linked": folder(t, 0o700, base, "real"), "linkedin": filepath.Join(base, "above", "b"), "dangling": filepath.Join(base, "none")} {
				if err := os.Symlink(to, filepath.Join(base, link)); err != nil && !errors.Is(err, fs.ErrExist) {
					t.Fatal(err)
				}
			}
			musttest.Do(t, os.WriteFile(filepath.Join(base, "file"), nil, 0o600))
			musttest.Fails(t, private.Make(dir), "%s passes for the user's alone", dir)
			if root, err := private.Open(dir); err == nil {
				_ = root.Close()
				t.Errorf("%s was opened", dir)
			}
		})
	}
}

func TestALinkOfOursOnTheWayIsFollowed(t *testing.T) {
	base := t.TempDir()
	folder(t, 0o700, base, "real")
	musttest.Do(t, os.Symlink("real", filepath.Join(base, "link"))) // as users link their settings
	dir := filepath.Join(base, "link", "..", "link", "home")
	musttest.Do(t, private.Make(dir))
	loop := filepath.Join(base, "loop")
	musttest.Do(t, os.Symlink(loop, loop))
	musttest.Fails(t, private.Make(filepath.Join(loop, "home")), "a link to itself has an end")
}

// TestAnotherUsersFolderIsRefused is about two users of one machine. Only root can be both.
func TestAnotherUsersFolderIsRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to be two users")
	}
	base := plugintest.PublicFolder(t)
	mine := folder(t, 0o700, base, "mine")
	theirs := folder(t, 0o755, base, "theirs")
	mineBelow := folder(t, 0o700, theirs, "mine")
	for dir, owner := range map[string]int{base: somebody, mine: somebody, theirs: somebodyElse, mineBelow: somebody} {
		musttest.Do(t, os.Chown(dir, owner, owner))
	}
	musttest.Do(t, os.Symlink(mine, filepath.Join(base, "link")))
	musttest.Do(t, os.Lchown(filepath.Join(base, "link"), somebodyElse, somebodyElse))
	for dir, want := range map[string]bool{
		mine: true, filepath.Join(mine, "made"): true,
		theirs: false, mineBelow: false, filepath.Join(base, "link", "made"): false,
	} {
		musttest.Same(t, want, checkAs(t, base, somebody, dir), "%s is safe", dir)
	}
}

// checkAs has another process make and check a folder as that user.
func checkAs(t *testing.T, base string, user uint32, dir string) bool {
	t.Helper()
	out, err := plugintest.CommandOfUser(t, base, user, checkVariable+"="+dir).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	t.Logf("%s: %s", dir, out)
	return err == nil
}

const checkVariable = "PRIVATE_TEST_CHECK"

func TestMain(m *testing.M) {
	dir := os.Getenv(checkVariable)
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := private.Make(dir); err != nil {
		_, _ = os.Stdout.WriteString(err.Error())
		os.Exit(1)
	}
}

// TestARefusalSaysWhatToDo, and about which folder of several.
func TestARefusalSaysWhatToDo(t *testing.T) {
	base := t.TempDir()
	above := folder(t, 0o777, base, "above")
	below := folder(t, 0o700, above, "below")
	link := filepath.Join(base, "link")
	musttest.Do(t, os.Symlink(below, link))
	open := folder(t, 0o777, base, "open")
	for dir, want := range map[string][]string{
		open:  {"others may write to " + open + " ", "chmod 700 " + open},
		below: {"others may write to " + above + " ", "chmod go-w " + above, "set MEMORY_HOME"},
		filepath.Join(os.DevNull, ".claude", "memory"): {os.DevNull + " is a device", "set HOME, or MEMORY_HOME"}, // as without HOME
		link: {link + " is a symbolic link", "remove it, or set MEMORY_HOME"},
	} {
		err := private.Make(dir)
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s is refused with %v, which does not say %q", dir, err, part)
			}
		}
	}
}
