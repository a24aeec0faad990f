//go:build unix

package project_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestNoPipeOfARepositoryIsWaitedFor: one may come with an unpacked archive, or stand where
// others may write, above the user's own folder.
func TestNoPipeOfARepositoryIsWaitedFor(t *testing.T) {
	for _, pipe := range []string{".git", ".git/config", ".git/commondir"} {
		root := musttest.Get(filepath.EvalSymlinks(t.TempDir()))(t)
		dir := filepath.Join(root, "a", "b")
		musttest.Do(t, os.MkdirAll(dir, 0o755))
		musttest.Do(t, os.MkdirAll(filepath.Join(root, filepath.Dir(pipe)), 0o755))
		if filepath.Dir(pipe) == ".git" {
			musttest.Do(t, os.WriteFile(filepath.Join(root, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
		}
		musttest.Do(t, syscall.Mkfifo(filepath.Join(root, pipe), 0o644))
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
