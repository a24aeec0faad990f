package sandbox

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func TestCopyTreeKeepsTheAgeOfFilesAndLeavesOutSockets(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	if err := writeFiles(from, map[string]string{"data/rows": "1"}); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(filepath.Join(from, "data", "rows"), old, old); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(from, "sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()

	if err := copyTree(from, to); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(to, "data", "rows"))
	if err != nil || string(content) != "1" {
		t.Errorf("copied %q (%v)", content, err)
	}
	info, err := os.Stat(filepath.Join(to, "data", "rows"))
	if err != nil || !info.ModTime().Equal(old) {
		t.Errorf("the copy is of %v (%v), want %v", info.ModTime(), err, old)
	}
	if _, err := os.Lstat(filepath.Join(to, "sock")); err == nil {
		t.Error("the socket was copied")
	}
}

func TestAZombieIsNotAlive(t *testing.T) {
	if !alive(os.Getpid()) {
		t.Error("this process is not alive")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := Poll(t.Context(), 10*time.Second, time.Millisecond, func() (bool, error) { return !alive(cmd.Process.Pid), nil }); err != nil {
		t.Errorf("the ended child counts as alive before it was waited for: %v", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if alive(cmd.Process.Pid) {
		t.Error("the child counts as alive after it was waited for")
	}
}

func TestHookErrorsAreSeenFromAPositionOn(t *testing.T) {
	home := &Home{Dir: t.TempDir()}
	before := home.HookErrors()
	if got := home.HookErrorSince(before); got != "" {
		t.Errorf("an unwritten log has %q", got)
	}
	if err := writeFiles(home.Dir, map[string]string{"logs/hooks.log": "old\nnew\n"}); err != nil {
		t.Fatal(err)
	}
	if got := home.HookErrorSince(int64(len("old\n"))); got != "new" {
		t.Errorf("got %q, want the new line", got)
	}
	if got := home.HookErrorSince(home.HookErrors()); got != "" {
		t.Errorf("nothing was added, got %q", got)
	}
}
