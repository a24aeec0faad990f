//go:build unix

package project_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
)

// TestNoPipeOfARepositoryIsWaitedFor: one may come with an unpacked archive, or stand where
// others may write, above the user's own folder.
func TestNoPipeOfARepositoryIsWaitedFor(t *testing.T) {
	for _, pipe := range []string{".git", ".git/config", ".git/commondir"} {
		root, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(root, "a", "b")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(pipe)), 0o755); err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(pipe) == ".git" {
			if err := os.WriteFile(filepath.Join(root, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := syscall.Mkfifo(filepath.Join(root, pipe), 0o644); err != nil {
			t.Fatal(err)
		}
		done := make(chan project.Project, 1)
		go func() {
			p, _ := project.Identify(dir) // usable with an error, too
			done <- p
		}()
		select {
		case p := <-done:
			if p.Key == "" {
				t.Errorf("with a pipe in the place of %s the project is %+v", pipe, p)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("a pipe in the place of %s is waited for", pipe)
		}
	}
}
