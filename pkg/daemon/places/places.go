// Package places records the folders in which the user works, and which project each of them was when it was last seen. A
// project whose key has changed, because a remote was added or the folder moved, is joined with its former key: by the
// folder, and by the first commits of its repository. The package runs git at most once for a folder and a key.
package places

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// place is a folder as it was last seen.
type place struct {
	Key    string `json:"key"`
	IsRepo bool   `json:"repository,omitempty"`
	// Folder identifies the folder in its file system, whatever its path.
	Folder uint64 `json:"folder,omitempty"`
	// Commits are the first commits of the repository; empty if it has none, or git could not tell.
	Commits []string `json:"commits,omitempty"`
}

// saved is the content of the file.
type saved struct {
	Places map[string]place  `json:"places"`           // by their paths
	Parts  map[string]string `json:"parts,omitempty"`  // keys, each with the key of the project that it means
	Doubts map[string]string `json:"doubts,omitempty"` // keys, each with the key of a project that it may mean
}

// Places holds the known folders of a home, and keeps them in a file.
type Places struct {
	file string
	// IsStored reports whether a key is a stored project's; OffMarker returns the path of the file
	// that switches a project off. Both are set before use.
	IsStored  func(key string) bool
	OffMarker func(key string) string
	log       *slog.Logger

	mu    sync.RWMutex
	known saved
}

// New reads the known folders from a file; with an empty name nothing is kept. Without a file, or
// with one that cannot be read, no folder counts as seen.
func New(file string, log *slog.Logger) *Places {
	p := &Places{file: file, log: log, IsStored: func(string) bool { return false }, OffMarker: func(string) string { return "" }}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &p.known)
	}
	if err != nil && file != "" && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("the known folders cannot be read; none counts as seen", "file", file, "error", err)
	}
	if p.known.Places == nil {
		p.known.Places = map[string]place{}
	}
	return p
}

// Resolve returns the key of the project that a key means.
func (p *Places) Resolve(key string) string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if whole, isPart := p.known.Parts[key]; isPart {
		return whole
	}
	return key
}

// Doubt returns the key of a project that a key may mean, or "".
func (p *Places) Doubt(key string) string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.known.Doubts[key]
}

// See records that a folder is a project. If the folder had another key before, and is certainly
// still the same project, the new key joins the old one. It waits for git the first time.
func (p *Places) See(ctx context.Context, key, root string) {
	if p.Knows(key, root) {
		return
	}
	now, isThere := look(ctx, key, root)
	if !isThere {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	whole, isCertain := p.whole(key, root, now)
	switch {
	case whole == "":
	case isCertain:
		p.join(key, whole)
		p.log.Info("a project has another key", "key", key, "is", whole, "folder", root)
	default:
		p.set(&p.known.Doubts, key, whole)
	}
	p.known.Places[root] = now
	p.save()
}

// Knows reports whether a folder was this project when it was last seen, or need not be looked at.
func (p *Places) Knows(key, root string) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	was, isKnown := p.known.Places[root]
	return isKnown && was.Key == key || key == "" || !filepath.IsAbs(root)
}

// Join makes a key mean another project.
func (p *Places) Join(key, whole string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.join(key, whole)
	p.save()
}

// Parts returns the keys that mean a project, without its own.
func (p *Places) Parts(whole string) (keys []string) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for key, of := range p.known.Parts {
		if of == whole {
			keys = append(keys, key)
		}
	}
	return keys
}

// Forget removes all that is known about the projects whose keys isOf accepts.
func (p *Places) Forget(isOf func(key string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for root, one := range p.known.Places {
		if isOf(one.Key) {
			delete(p.known.Places, root)
		}
	}
	for _, keys := range []map[string]string{p.known.Parts, p.known.Doubts} {
		for key, whole := range keys {
			if isOf(key) || isOf(whole) {
				delete(keys, key)
			}
		}
	}
	p.save()
}

func (p *Places) join(key, whole string) {
	if meant, isPart := p.known.Parts[whole]; isPart {
		whole = meant
	}
	if key == whole {
		return
	}
	p.set(&p.known.Parts, key, whole)
	delete(p.known.Doubts, key)
	for part, of := range p.known.Parts {
		if of == key {
			p.known.Parts[part] = whole
		}
	}
	if _, err := os.Lstat(p.OffMarker(whole)); err == nil { // a project that is switched off stays off
		if err := os.WriteFile(p.OffMarker(key), []byte(key+"\n"), 0o600); err != nil {
			p.log.Error("a project that is off has another key, and could not be switched off", "key", key, "error", err)
		}
	}
}

func (*Places) set(keys *map[string]string, key, value string) {
	if *keys == nil {
		*keys = map[string]string{}
	}
	(*keys)[key] = value
}

// save writes the file. It only logs errors: without the file, a project whose key changes counts as a new one.
func (p *Places) save() {
	if p.file == "" {
		return
	}
	text, err := json.Marshal(p.known)
	if err == nil {
		err = atomicfile.Write(p.file, 0o600, text)
	}
	if err != nil {
		p.log.Error("the known folders cannot be written", "file", p.file, "error", err)
	}
}

// whole returns the key that the project of a folder with a new key had before, or "", and whether that is certain.
// It is certain for the same folder unless it has become another repository, and for a repository whose folder has
// gone from where it was. It is never certain for a key in use elsewhere, which keeps its own memories.
func (p *Places) whole(key, root string, now place) (whole string, isCertain bool) {
	if _, isPart := p.known.Parts[key]; isPart {
		return "", false
	}
	isNew := !p.IsStored(key) && !p.isElsewhere(key, root)
	meant := func(key string) string {
		if whole, isPart := p.known.Parts[key]; isPart {
			return whole
		}
		return key
	}
	if was, isKnown := p.known.Places[root]; isKnown {
		if whole = meant(was.Key); whole == key {
			return "", false
		}
		alike := alikeCommits(was.Commits, now.Commits)
		if alike == none && len(was.Commits) > 0 && len(now.Commits) > 0 { // another repository at the same path
			return "", false
		}
		return whole, isNew && (alike == equal || was.Folder == now.Folder)
	}
	if !isNew {
		return "", false
	}
	for dir := filepath.Dir(root); !now.IsRepo && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if above, isKnown := p.known.Places[dir]; isKnown && above.IsRepo { // its .git is gone
			return meant(above.Key), above.Folder == folderOf(dir)
		}
	}
	var likely []string
	isCertain = true
	for path, was := range p.known.Places {
		alike := alikeCommits(was.Commits, now.Commits)
		if alike == none && (len(was.Commits) > 0 || len(now.Commits) > 0 || was.Folder == 0 || was.Folder != now.Folder || isThere(path)) {
			continue
		}
		isCertain = isCertain && alike == equal && !isThere(path)
		if whole := meant(was.Key); !slices.Contains(likely, whole) {
			likely = append(likely, whole)
		}
	}
	if len(likely) == 0 {
		return "", false
	}
	slices.Sort(likely)
	return likely[0], isCertain && len(likely) == 1
}

// isElsewhere reports whether another folder has the key.
func (p *Places) isElsewhere(key, root string) bool {
	for path, one := range p.known.Places {
		if path != root && one.Key == key {
			return true
		}
	}
	return false
}

// How similar the first commits of two repositories are.
const (
	none = iota
	some
	equal
)

func alikeCommits(a, b []string) int {
	if len(a) > 0 && slices.Equal(a, b) {
		return equal
	}
	if slices.ContainsFunc(a, func(one string) bool { return slices.Contains(b, one) }) {
		return some
	}
	return none
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// look returns what a folder is now; isThere is false if there is no such folder.
func look(ctx context.Context, key, root string) (now place, isThere bool) {
	info, err := os.Stat(root)
	if err != nil || !info.IsDir() {
		return place{}, false
	}
	now = place{Key: key, Folder: folderOf(root), IsRepo: project.Repository(root) == root}
	if now.IsRepo {
		now.Commits = firstCommits(ctx, root)
	}
	return now, true
}

// gitTime limits the walk through a repository's history.
const gitTime = 10 * time.Second

// firstCommits returns the sorted ids of the commits without parents that lead to a repository's
// HEAD. It returns none if git is missing or takes too long, or if the clone is shallow.
func firstCommits(ctx context.Context, root string) []string {
	if isThere(filepath.Join(project.MainRoot(root), ".git", "shallow")) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "-C", root, "--no-optional-locks", "rev-list", "--max-parents=0", "HEAD")
	cmd.Env = append(project.GitEnvironment(), "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	commits := strings.Fields(string(out))
	slices.Sort(commits)
	return commits
}
