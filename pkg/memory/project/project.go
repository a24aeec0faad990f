// Package project owns the identity of the project a session works on: one key
// that is the same for every worktree, subdirectory and clone of a repository.
//
// It reads git's own files and starts no process, except in FirstCommits, because a hook has no time for a process. It covers only a
// part of git: it follows .git, commondir and the origin URL in the shared config and ignores includes, insteadOf, config.worktree and
// GIT_* variables. Package places notices when a project's key changes. The package also has the marker files that switch memory off
// and on (switch.go).
package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Project is the project to which a directory belongs. Paths are absolute, clean and free of symlinks.
type Project struct {
	// Key identifies the project: the origin as "host/path" without scheme, credentials, default port and ".git" (for an
	// origin that is a path, that path); without an origin, the path of the main repository; in a bare repository, its own path;
	// without a repository, Dir.
	// It never holds credentials.
	Key string

	// Name is the last element of Key, for people.
	Name string

	// Root is the top of the worktree, or the bare repository; Dir if there is neither.
	Root string

	// Dir is the directory that was asked about.
	Dir string
}

// Identify finds the project of dir, which need not exist: a missing folder is looked up from its nearest existing parent.
//
// The Project is usable even with an error, because hooks must not fail over a damaged repository. It
// is empty only if dir is relative and the working directory is unknown.
//
// A directory of another system, as a transcript from Windows names it, is a project of its own, unless this system
// has it below /mnt.
func Identify(dir string) (Project, error) {
	dir, isForeign := local(dir)
	if isForeign {
		key := strings.TrimRight(strings.ReplaceAll(dir, `\`, "/"), "/")
		return Project{Key: key, Name: nameOf(key), Root: dir, Dir: dir}, nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Project{}, fmt.Errorf("make the path %q absolute: %w", dir, err)
	}
	p := Project{Dir: resolve(abs)}
	found, err := search(p.Dir)
	p.Root = p.Dir
	if found.root != "" {
		p.Root = found.root
	}
	mainRoot, origin := p.Root, ""
	if found.gitDir != "" && !found.isBare() {
		common, commonErr := commonDir(found.gitDir)
		mainRoot = mainRootOf(common)
		url, configErr := originOf(common)
		origin = normaliseOrigin(url, mainRoot)
		err = errors.Join(err, commonErr, configErr)
	}
	p.Key = cmp.Or(origin, filepath.ToSlash(mainRoot))
	p.Name = nameOf(p.Key)
	return p, err
}

// Repository returns the top of the git repository in which a path lies, after following its links; empty if it lies in none.
func Repository(path string) string {
	if found, _ := search(Resolved(path)); found.gitDir != "" { // a damaged repository counts, too
		return found.root
	}
	return ""
}

// MainRoot returns the top of the main worktree of the repository in which a directory lies; for a bare repository,
// the git directory. Outside a repository it returns the directory itself, absolute and free of symlinks.
func MainRoot(dir string) string {
	dir = Resolved(dir)
	found, _ := search(dir)
	if found.gitDir == "" {
		return dir
	}
	common, err := commonDir(found.gitDir)
	if err != nil || common == found.gitDir || found.isBare() { // found.gitDir: the main worktree, or a submodule
		return found.root
	}
	return mainRootOf(common)
}

// Resolved returns a path as an absolute one without symlinks.
func Resolved(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil { // the working directory is gone
		return path
	}
	return resolve(abs)
}

func nameOf(key string) string {
	trimmed := strings.TrimRight(key, "/")
	if trimmed == "" {
		return key
	}
	return path.Base(trimmed)
}

// Rel returns a file's name for people and for keys: separated by slashes, and relative to Root if it is inside, else its clean
// absolute path. A relative name is taken from Dir. Symlinks in its directories are followed, unless they lead out of the
// project. The last element is not followed, so that a linked file keeps the name it has in the project. The file need not exist.
func (p Project) Rel(file string) string {
	if isWindows(p.Root) && filepath.VolumeName(p.Root) == "" {
		return relOnWindows(p.Root, file)
	}
	abs := file
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(p.Dir, abs)
	}
	abs = filepath.Clean(abs)
	if abs == p.Root {
		return "."
	}
	resolved := filepath.Join(resolve(filepath.Dir(abs)), filepath.Base(abs))
	for _, candidate := range []string{resolved, abs} {
		if rel, inside := within(p.Root, candidate); inside {
			return rel
		}
	}
	return filepath.ToSlash(abs)
}

// Has reports whether a directory is the project's root or below it.
func (p Project) Has(dir string) bool {
	name := p.Rel(dir)
	return name != dir && !IsAbsolute(name)
}

func within(root, file string) (string, bool) {
	rel, err := filepath.Rel(root, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// place is the result of walking up from a directory.
type place struct {
	root   string // root of the worktree or repository; "" outside a repository
	gitDir string // the worktree's own git directory; "" outside git
}

// isBare reports whether the place is a bare repository. An archive can contain one, so its files are not believed if they name a
// remote or another repository. A .git is believed: git itself made it, because no clone has one among its files.
func (p place) isBare() bool { return p.gitDir != "" && p.gitDir == p.root }

// search finds the nearest git repository around a directory. A bare repository inside another repository counts as a part of that
// one: the author of a clone's files can put one there, with another project's origin in its config.
func search(dir string) (place, error) {
	for at, below := dir, ""; ; at, below = filepath.Dir(at), at {
		root, gitDir, err := gitAt(at)
		if root != "" && !isDotfiles(root, below) {
			if (place{root, gitDir}).isBare() && at != filepath.Dir(at) {
				if around, outerErr := search(filepath.Dir(at)); around.root != "" {
					return around, outerErr
				}
			}
			return place{root, gitDir}, err
		}
		if root != "" || at == filepath.Dir(at) {
			return place{}, nil
		}
	}
}

// isDotfiles reports whether root is the user's home, kept as a repository of dotfiles, and the path below it does not
// begin with a dotfile: the repository then does not have the path.
func isDotfiles(root, below string) bool {
	home, err := os.UserHomeDir()
	return err == nil && below != "" && filepath.Base(below)[0] != '.' && filepath.Base(home) == filepath.Base(root) && resolve(home) == root
}

// gitTime limits git's walk through a repository's history.
const gitTime = 10 * time.Second

// FirstCommits asks git for the commits without parents that lead to HEAD in the repository at root, and returns their sorted ids.
// It returns none if git is missing or takes too long, and none for a shallow clone, whose first commits are not the real ones.
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
