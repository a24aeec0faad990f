package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func content(t *testing.T, path string) string {
	t.Helper()
	return string(musttest.Get(os.ReadFile(path))(t))
}

func unfinished(t *testing.T, dir string) []string {
	t.Helper()
	return musttest.Get(atomicfile.Unfinished(dir))(t)
}

func TestWriteReplacesTheFileAndItsMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, c := range []struct {
		mode fs.FileMode
		text string
	}{{0o600, "first, and longer"}, {0o644, "second"}} {
		musttest.Do(t, atomicfile.Write(path, c.mode, []byte(c.text)))
		musttest.Same(t, c.text, content(t, path), "the file has")
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != c.mode && runtime.GOOS != "windows" { // which has no such modes
			t.Errorf("its mode is %v, %v, want %v", info.Mode(), err, c.mode)
		}
	}
	if left := unfinished(t, filepath.Dir(path)); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestAReaderSeesTheOldContentUntilAllIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	musttest.Do(t, atomicfile.Write(path, 0o600, []byte("old")))
	err := atomicfile.Fill(path, 0o600, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		musttest.Same(t, "old", content(t, path), "half way the file has")
		if left := unfinished(t, filepath.Dir(path)); len(left) != 1 { // what a crash here would leave
			t.Errorf("half way there are %v, want one unfinished file", left)
		}
		return err
	})
	if err != nil || content(t, path) != "new" {
		t.Errorf("the file has %q, %v", content(t, path), err)
	}
}

func TestAnErrorLeavesTheOldFileAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	path, full := filepath.Join(dir, "file"), errors.New("no space")
	musttest.Do(t, atomicfile.Write(path, 0o600, []byte("old")))
	musttest.Is(t, full, atomicfile.Fill(path, 0o600, func(io.Writer) error { return full }), "error")
	folder := filepath.Join(dir, "folder") // a file cannot take its place
	musttest.Do(t, errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(filepath.Join(folder, "x"), nil, 0o600)))
	musttest.Fails(t, atomicfile.Write(folder, 0o600, nil), "a file took the place of a folder")
	musttest.Is(t, fs.ErrNotExist, atomicfile.Write(filepath.Join(dir, "nowhere", "file"), 0o600, nil), "it makes no folders")
	if left := unfinished(t, dir); len(left) > 0 || content(t, path) != "old" {
		t.Errorf("left %v and %q", left, content(t, path))
	}
}

func TestAFolderThatIsNotThereHasNothingUnfinished(t *testing.T) {
	musttest.Same(t, nil, unfinished(t, filepath.Join(t.TempDir(), "nowhere")), "files of a folder that is not there")
}

// The name of the unfinished file says nothing to who reads the error.
func TestAFolderThatIsMissingIsNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing")
	err := atomicfile.Write(filepath.Join(dir, "file"), 0o600, nil)
	if err == nil || strings.Contains(err.Error(), "unfinished") || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v", err)
	}
}
