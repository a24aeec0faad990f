// Package project owns the identity of the project a session works on: one key
// that is the same for every worktree, subdirectory and clone of a repository.
//
// It reads git's own files and starts no process, because a hook has no time for one. It covers only a part of
// git: it follows .git, commondir and the origin URL in the shared config and ignores includes,
// insteadOf, config.worktree and GIT_* variables. Package places notices when a project's key changes. This package stores nothing and does not depend on
// memories.
package project

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Project is the project to which a directory belongs. Paths are absolute, clean and free of symlinks.
type Project struct {
	// Key identifies the project: the origin as "host/path" without scheme, credentials, default port and ".git" (for an
	// origin that is a path, that path); without an origin, the path of the main repository; without a repository, Dir.
	// It never holds credentials.
	Key string

	// Name is the last element of Key, for people.
	Name string

	// Root is the top of the worktree, or the bare repository; Dir if there is neither.
	Root string

	// Dir is the directory that was asked about.
	Dir string
}

// Identify finds the project of dir, which need not exist: a missing folder is looked up from its
// nearest existing parent.
//
// The Project is usable even with an error, because hooks must not fail over a damaged repository. It
// is empty only if dir is relative and the working directory is unknown.
//
// A directory of another system, as a transcript from Windows names it, is a project of its own
// unless it is here, below /mnt.
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
	if found.gitDir != "" {
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

// Repository returns the top of the git repository in which a path lies, after following its links;
// empty if it lies in none.
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
	if err != nil || common == found.gitDir { // the main worktree, or a submodule
		return found.root
	}
	return mainRootOf(common)
}

// Resolved returns a path as an absolute one without symlinks.
func Resolved(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil { // only when the working directory is gone
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

// Rel returns a file's name for people and for keys: separated by slashes, and relative to Root if it
// is inside, else its clean absolute path. A relative name is taken from Dir. Symlinks in its
// directories are followed, unless they lead out of the project. The last element is not followed, so
// that a linked file keeps the name it has in the project. The file need not exist.
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
	root   string // root of the worktree or of the bare repository; "" outside git
	gitDir string // the worktree's own git directory; "" outside git
}

// search finds the nearest git repository around a directory. If there is none, it finds a repository of Mercurial or
// Jujutsu, and sets only the root.
func search(dir string) (place, error) {
	for at, below := dir, ""; ; at, below = filepath.Dir(at), at {
		root, gitDir, err := gitAt(at)
		if root != "" && !isDotfiles(root, below) {
			return place{root, gitDir}, err
		}
		if root != "" || at == filepath.Dir(at) {
			return place{root: otherRepository(dir, root)}, nil
		}
	}
}

// otherRepository returns the root of a repository that is not git's, between dir and end; empty for none.
func otherRepository(dir, end string) string {
	for at := dir; at != end; at = filepath.Dir(at) {
		for _, name := range []string{".hg", ".jj"} {
			if isDir(filepath.Join(at, name)) {
				return at
			}
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return ""
}

// isDotfiles reports whether a repository is the user's home, with the dotfiles, and the folder below it that leads to
// a directory is not a dotfile.
func isDotfiles(root, below string) bool {
	home, err := os.UserHomeDir()
	return err == nil && below != "" && filepath.Base(below)[0] != '.' && filepath.Base(home) == filepath.Base(root) && resolve(home) == root
}

// OffFile, in a project, switches memory off there: nothing is captured or recalled.
// `memory` keeps a file with the same meaning in the home, for projects that should not
// get one.
const OffFile = ".claude/memory-off"

// mainCheckout returns the main checkout of a linked worktree; for any other root, the root itself.
func mainCheckout(root string) string {
	git := filepath.Join(root, ".git")
	if info, err := os.Lstat(git); err != nil || !info.Mode().IsRegular() {
		return root
	}
	dir, _ := readGitFile(git)
	if dir == "" {
		return root
	}
	common, err := commonDir(dir)
	if err != nil || filepath.Base(common) != ".git" {
		return root
	}
	return filepath.Dir(common)
}

// OnlyMarker returns the marker file that a project has while memory is on in the listed projects only, by the path of its
// off marker. Its folder exists only then.
func OnlyMarker(mark string) string {
	return filepath.Join(filepath.Dir(filepath.Dir(mark)), "only", filepath.Base(mark))
}

// FolderMarker returns the file beside a marker that marks the folder of the project's main checkout, whatever the key of
// the project: a remote that is added or changed changes the key. It returns "" if the project has no folder.
func (p Project) FolderMarker(marker string) string {
	if p.Root == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(mainCheckout(p.Root)))
	return filepath.Join(filepath.Dir(marker), "folder-"+hex.EncodeToString(sum[:8]))
}

// Stamp returns the time when the folder's repository was made, as text, or "" without one: git writes its description
// once. So it differs for another repository at the same path.
func (p Project) Stamp() string {
	info, err := os.Lstat(filepath.Join(mainCheckout(p.Root), ".git", "description"))
	if err != nil {
		return ""
	}
	return info.ModTime().UTC().Format(time.RFC3339Nano)
}

// WhyOff returns why memory is off in the project and what switches it on, or "" if it is on. mark is as in IsOff.
func (p Project) WhyOff(mark string) string {
	const on = "; switch it on with memory projects on, in your own terminal"
	switch file := p.offFile(mark); {
	case p.isUnlisted(mark):
		return "memory is on in listed projects only, and " + p.Name + " is none of them" + on
	case file == "":
		return ""
	case filepath.Dir(file) != filepath.Dir(mark):
		return "memory is off for " + p.Name + " by the file " + file + "; delete it to switch it on"
	default:
		return "memory is off for " + p.Name + on
	}
}

// WhyOffWithin is WhyOff, except that the memory also counts as off if the project's folder does not answer within limit:
// a call to a file system that hangs never returns.
func (p Project) WhyOffWithin(limit time.Duration, mark string) string {
	why := make(chan string, 1)
	go func() { why <- p.WhyOff(mark) }()
	select {
	case text := <-why:
		return text
	case <-time.After(limit):
		return "nobody knows whether memory is off for " + p.Name + ", because its folder does not answer, so it is"
	}
}

// IsOff reports whether the project or its main checkout has an OffFile, or the file mark exists, or memory is on in listed projects
// only and this is none of them. If it cannot be seen whether one exists, memory counts as off.
func (p Project) IsOff(mark string) bool { return p.isUnlisted(mark) || p.offFile(mark) != "" }

// isUnlisted reports whether memory is on in listed projects only, and neither the project nor its folder is listed.
func (p Project) isUnlisted(mark string) bool {
	only := OnlyMarker(mark)
	if mark == "" || !isDir(filepath.Dir(only)) || exists(only) {
		return false
	}
	stamp, err := os.ReadFile(p.FolderMarker(only))
	isSame := len(stamp) == 0 || string(stamp) == p.Stamp() // empty: the folder had no repository when it was listed
	return err != nil || !isSame
}

// MayBeListed reports whether memory is on in listed projects only and this may be one of them under another key: a repository
// that is not listed, at which the daemon has not looked yet, without a remote or made at the time of a listed one. mark is as in IsOff.
func (p Project) MayBeListed(mark string) bool {
	if !p.isUnlisted(mark) || p.offFile(mark) != "" || !exists(filepath.Join(mainCheckout(p.Root), ".git")) || !filepath.IsAbs(p.Key) && !p.hasListedStamp(mark) {
		return false
	}
	stamp, err := os.ReadFile(p.LookedMarker(mark))
	return err != nil || string(stamp) != p.Stamp()
}

// hasListedStamp reports whether a listed folder had the repository, or one that was made at the same time.
func (p Project) hasListedStamp(mark string) bool {
	dir := filepath.Dir(OnlyMarker(mark))
	files, _ := os.ReadDir(dir)
	for _, file := range files {
		stamp, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err == nil && len(stamp) > 0 && string(stamp) == p.Stamp() && !strings.HasSuffix(file.Name(), looked) {
			return true
		}
	}
	return false
}

// looked ends the name of a LookedMarker.
const looked = "-looked"

// LookedMarker returns the file that has the Stamp of a repository that is no listed project under another path. mark is as in IsOff.
func (p Project) LookedMarker(mark string) string {
	return p.FolderMarker(OnlyMarker(mark)) + looked
}

// offFile returns the file that switches the memory off in the project, or "".
func (p Project) offFile(mark string) string {
	var folder string
	if mark != "" {
		folder = p.FolderMarker(mark)
	}
	for _, file := range []string{mark, folder, filepath.Join(p.Root, OffFile), filepath.Join(mainCheckout(p.Root), OffFile)} {
		if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return file
		}
	}
	return ""
}
