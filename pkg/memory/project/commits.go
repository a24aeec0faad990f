package project

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// gitTime limits git's walk through a repository's history.
const gitTime = 10 * time.Second

// FirstCommits returns the sorted ids of the commits without parents that lead to the HEAD of the repository at root, for which it
// asks git. It returns none for a shallow clone, whose first commits are not the real ones, or if git is missing or takes too long.
func FirstCommits(ctx context.Context, root string) []string {
	if exists(filepath.Join(MainRoot(root), ".git", "shallow")) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "-C", root, "--no-optional-locks", "rev-list", "--max-parents=0", "HEAD")
	cmd.Env = append(GitEnvironment(), "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	commits := strings.Fields(string(out))
	slices.Sort(commits)
	return commits
}
