package project

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestADirectoryOfWindowsIsAProjectOfItsOwn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it is a directory here")
	}
	t.Chdir(t.TempDir())
	musttest.Do(t, os.MkdirAll(filepath.Join(".git", "objects"), 0o700)) // the repository in which we run
	writeHead(t)
	for dir, want := range map[string]string{
		`C:\Users\ann\ledger`: "C:/Users/ann/ledger", `c:\Users\ann\ledger\`: "C:/Users/ann/ledger", "d:/ledger": "D:/ledger", `\\nas\share\ledger`: "//nas/share/ledger", `C:\`: "C:",
	} {
		where, err := Identify(dir)
		if err != nil || where.Key != want || !isWindows(where.Root) {
			t.Errorf("%s: %+v, %v", dir, where, err)
		}
	}
	where, _ := Identify(`c:\Users\ann\ledger`)
	for file, want := range map[string]string{
		`C:\Users\Ann\ledger\a\b.go`: "a/b.go", `C:\Users\ann\ledgers\b.go`: "C:/Users/ann/ledgers/b.go", `C:\Users\ann\ledger`: ".", `a\b.go`: "a/b.go",
	} {
		musttest.Same(t, want, where.Rel(file), "%s", file)
	}
}

func writeHead(t *testing.T) {
	t.Helper()
	musttest.Do(t, os.WriteFile(filepath.Join(".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
}

func TestADriveOfWindowsThatIsMounted(t *testing.T) {
	before := drives
	t.Cleanup(func() { drives = before })
	drives = t.TempDir()
	there := filepath.Join(drives, "c", "Users", "ann")
	musttest.Do(t, os.MkdirAll(there, 0o700))
	for dir, want := range map[string]string{`C:\Users\ann`: there, `\\wsl.localhost\Debian` + there: there, `\\wsl$\Debian` + there: there, "/home/ann": "/home/ann", "ann": "ann"} {
		if path, isForeign := local(dir); path != want || isForeign {
			t.Errorf("%s is %s, of another system: %t", dir, path, isForeign)
		}
	}
	for path, want := range map[string]bool{`C:\a`: true, "C:/a": true, `\\nas\a`: true, "/a": true, "C:a": false, `\a`: false, "a": false, "": false, "~/a": false, "1:/a": false} {
		musttest.Same(t, want, IsAbsolute(path), "%q is absolute", path)
	}
}
