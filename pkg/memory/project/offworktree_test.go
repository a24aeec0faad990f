package project_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestTheOffFileOfTheMainCheckoutHoldsForItsWorktrees, and one of a worktree for that alone.
func TestTheOffFileOfTheMainCheckoutHoldsForItsWorktrees(t *testing.T) {
	main := t.TempDir()
	linked, other := filepath.Join(main, "trees", "a"), filepath.Join(t.TempDir(), "b")
	write(t, filepath.Join(main, ".git", "HEAD"), "ref: refs/heads/main\n")
	for name, root := range map[string]string{"a": linked, "b": other} {
		git := filepath.Join(main, ".git", "worktrees", name)
		write(t, filepath.Join(git, "HEAD"), "ref: refs/heads/x\n")
		write(t, filepath.Join(git, "commondir"), "../..\n")
		write(t, filepath.Join(root, ".git"), "gitdir: "+git+"\n")
	}
	isOff := func(root string) bool { return project.Project{Root: root}.IsOff(filepath.Join(main, "no-mark")) }
	off := func(root string) string { return filepath.Join(root, project.OffFile) }
	write(t, off(linked), "")
	if !isOff(linked) || isOff(main) || isOff(other) {
		t.Errorf("off in one worktree: it %v, the main checkout %v, another %v", isOff(linked), isOff(main), isOff(other))
	}
	musttest.Do(t, os.Remove(off(linked)))
	write(t, off(main), "")
	if !isOff(linked) || !isOff(main) || !isOff(other) {
		t.Errorf("off in the main checkout: it %v, its worktrees %v, %v", isOff(main), isOff(linked), isOff(other))
	}
	musttest.Do(t, os.Rename(filepath.Join(main, ".git"), filepath.Join(main, ".moved")))
	if where, err := project.Identify(other); where.Key != main || err == nil || !isOff(other) {
		t.Errorf("the worktree of a repository that was moved: project %q, %v, off %v", where.Key, err, isOff(other))
	}
	for _, broken := range []string{"", "gitdir:", "gitdir: /nowhere"} {
		root := t.TempDir()
		write(t, filepath.Join(root, ".git"), broken)
		if isOff(root) {
			t.Errorf("%q is off", broken)
		}
	}
}
