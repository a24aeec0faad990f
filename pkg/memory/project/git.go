package project

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// ErrRepository means that a .git was found whose files are missing or unreadable.
var ErrRepository = errors.New("damaged git repository")

// maxConfigBytes is how much of a git config is read. Even with thousands of branches, the origin of a
// repository stands near the top.
const maxConfigBytes = 1 << 20

// gitAt returns the root and the git directory if a worktree, or a bare repository, begins at dir. If it returns both a
// root and an error, a repository is there but cannot be read.
func gitAt(dir string) (root, gitDir string, err error) {
	dotGit := filepath.Join(dir, ".git")
	info, statErr := os.Stat(dotGit)
	switch {
	case statErr == nil && info.IsDir():
		if exists(filepath.Join(dotGit, "HEAD")) {
			return dir, resolve(dotGit), nil
		}
	case statErr == nil:
		gitDir, err = readGitFile(dotGit)
		return dir, gitDir, err
	}
	if isGitDir(dir) {
		if filepath.Base(dir) == ".git" {
			return filepath.Dir(dir), dir, nil
		}
		return dir, dir, nil
	}
	return "", "", nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// isGitDir reports whether a directory is a git directory, which git recognises by HEAD, objects and refs.
func isGitDir(dir string) bool {
	return exists(filepath.Join(dir, "HEAD")) && isDir(filepath.Join(dir, "objects")) && isDir(filepath.Join(dir, "refs"))
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// readGitFile follows the "gitdir: path" of a linked worktree or a submodule. If the repository of a worktree was moved or
// deleted, it fails, and also returns the former git directory of the worktree.
func readGitFile(name string) (string, error) {
	data, err := readHead(name, 8<<10)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrRepository, err)
	}
	target, ok := strings.CutPrefix(string(data), "gitdir:")
	target = strings.TrimSpace(target)
	if !ok || target == "" || strings.ContainsRune(target, 0) {
		return "", fmt.Errorf("%w: %s has no line \"gitdir: path\"", ErrRepository, name)
	}
	gitDir := from(filepath.Dir(name), target)
	if !exists(filepath.Join(gitDir, "HEAD")) {
		missing := ""
		if isWorktrees(target) {
			missing = filepath.Clean(target) // does not follow a link that is there now
		}
		return missing, fmt.Errorf("%w: %s names %s, which is not a git directory; run git worktree repair", ErrRepository, name, target)
	}
	return gitDir, nil
}

// from returns the file or folder to which target leads. A relative target is taken from dir.
func from(dir, target string) string {
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	return resolve(filepath.Clean(target))
}

// isWorktrees reports whether the path of a git directory is one that git gives a linked worktree.
func isWorktrees(gitDir string) bool {
	all := filepath.Dir(gitDir)
	return filepath.Base(all) == "worktrees" && filepath.Ext(filepath.Dir(all)) == ".git" && filepath.IsAbs(gitDir)
}

// commonDir returns the git directory that all worktrees of a repository share.
func commonDir(gitDir string) (string, error) {
	data, err := readHead(filepath.Join(gitDir, "commondir"), 8<<10)
	switch {
	case os.IsNotExist(err) && isWorktrees(gitDir): // the repository was moved or deleted
		return filepath.Dir(filepath.Dir(gitDir)), nil
	case os.IsNotExist(err):
		return gitDir, nil
	}
	if err != nil {
		return gitDir, fmt.Errorf("%w: %w", ErrRepository, err)
	}
	target := strings.TrimSpace(string(data))
	if target == "" || strings.ContainsRune(target, 0) {
		return gitDir, fmt.Errorf("%w: the file commondir in %s is empty", ErrRepository, gitDir)
	}
	return from(gitDir, target), nil
}

// mainRootOf returns the identity of a repository without an origin: the main worktree, or the git
// directory itself if it is bare or lies elsewhere.
func mainRootOf(common string) string {
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	return common
}

func originOf(common string) (string, error) {
	data, err := readHead(filepath.Join(common, "config"), maxConfigBytes)
	if os.IsNotExist(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrRepository, err)
	}
	return originURL(string(data)), nil
}

// resolve follows the symlinks of a clean absolute path as far as it exists.
func resolve(abs string) string {
	missing := ""
	for at := abs; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, missing)
		}
		parent := filepath.Dir(at)
		if parent == at {
			return abs
		}
		missing = filepath.Join(filepath.Base(at), missing)
	}
}

// readHead reads at most limit bytes of a regular file. It does not wait for a pipe.
func readHead(name string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is not a regular file", name))
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// GitEnvironment returns the environment for running git in a directory. It lacks the variables that name another repository, which
// git's own hooks set (git rev-parse --local-env-vars lists them).
func GitEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(one string) bool {
		name, _, _ := strings.Cut(one, "=")
		return slices.Contains(localVariables, name)
	})
}

var localVariables = strings.Fields(`GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_OBJECT_DIRECTORY GIT_DIR
	GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_GRAFT_FILE GIT_INDEX_FILE GIT_NO_REPLACE_OBJECTS GIT_REPLACE_REF_BASE GIT_PREFIX GIT_SHALLOW_FILE
	GIT_COMMON_DIR GIT_NAMESPACE`)

// originURL returns the first non-empty url of [remote "origin"] in the text of a git config, as git itself writes it:
// one variable a line, in quotes and with escapes where they are needed. Includes are not followed.
func originURL(config string) string {
	isOrigin := false
	for line := range strings.Lines(strings.TrimPrefix(config, "\ufeff")) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "[") {
			header, _, _ := strings.Cut(line[1:], "]")
			section, name, _ := strings.Cut(header, " ")
			isOrigin = strings.EqualFold(section, "remote") && strings.Trim(name, ` "`) == "origin"
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		if url := plain(value); isOrigin && url != "" && strings.EqualFold(strings.TrimSpace(name), "url") {
			return url
		}
	}
	return ""
}

// plain returns a value without its quotes, escapes and comment.
func plain(value string) string {
	var out strings.Builder
	isQuoted := false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '"':
			isQuoted = !isQuoted
		case !isQuoted && (c == '#' || c == ';'):
			return strings.TrimSpace(out.String())
		case c == '\\' && i+1 < len(value):
			i++
			out.WriteByte(value[i])
		default:
			out.WriteByte(c)
		}
	}
	return strings.TrimSpace(out.String())
}
