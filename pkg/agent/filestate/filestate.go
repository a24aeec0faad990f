// Package filestate looks at the files of projects: it takes fingerprints when a memory
// names them, and compares these later. It reads regular files below a project's root
// only, follows no link out of it, and reads none that usually hold secrets. It keeps no
// text of a file, and waits for no file system that hangs.
package filestate

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/sketch"
)

const (
	// maxFile is the most bytes of a file that is read.
	maxFile = 1 << 20
	// maxFiles is the most files of one event or memory that are looked at.
	maxFiles = 8
	// muchGone is the share of a file's lines that are gone from which it counts as
	// changed.
	muchGone = 0.5
	// unread is the fingerprint of a file that is too large, is binary or has no lines: its
	// changes are not known.
	unread = "-"
	// held bounds the cached findings.
	held = 8192
)

// Files looks at files. It caches its findings. Its methods are safe for concurrent use.
type Files struct {
	found *lru.Cache[question, finding]
	looks Looks
	open  func(root string) (folder, error)
}

// folder is a root that is open, as an *os.Root is.
type folder interface {
	Stat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Close() error
}

func openRoot(root string) (folder, error) { return os.OpenRoot(root) }

// question is a file with its fingerprint of some time ago.
type question struct{ root, path, fingerprint string }

// finding is an answer, with the file as it was when it was read.
type finding struct {
	size      int64
	modified  time.Time
	isChanged bool
}

// New makes a Files.
func New() *Files {
	found, err := lru.New[question, finding](held)
	if err != nil { // only for a size below one
		panic(err)
	}
	return &Files{found: found, open: openRoot}
}

// Fingerprints returns the files' fingerprints, by the path as it is given, relative to
// the root or absolute. A file that was modified after the given time is left out,
// because it was different then; so is one that is not there, or not to be read. Without
// any the result is nil, and where the file system does not answer within a second.
func (f *Files) Fingerprints(root string, paths []string, at time.Time) map[string]string {
	if len(paths) == 0 || !IsProject(root) {
		return nil
	}
	prints, _ := Look(context.Background(), &f.looks, root, lookLimit,
		func() map[string]string { return f.fingerprints(root, paths, at) })
	return prints
}

// IsProject reports whether a folder may be a project: folders directly below the root of the file
// system are no projects, and may be devices.
func IsProject(root string) bool { return filepath.IsAbs(root) && filepath.Dir(root) != root }

func (f *Files) fingerprints(root string, paths []string, at time.Time) map[string]string {
	dir, err := f.open(root)
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	var prints map[string]string
	for _, name := range paths[:min(len(paths), maxFiles)] {
		local, isInside := inside(root, name)
		if !isInside {
			continue
		}
		info, err := dir.Stat(local)
		if err != nil || !info.Mode().IsRegular() || info.ModTime().After(at) || leadsAway(root, local) {
			continue
		}
		if prints == nil {
			prints = map[string]string{}
		}
		prints[name] = fingerprint(dir, local)
	}
	return prints
}

func fingerprint(dir folder, local string) string {
	text, err := Read(dir, local, maxFile)
	if err != nil {
		return unread
	}
	if sample := string(sketch.SampleLines(text)); sample != "" {
		return sample
	}
	return unread
}

// HaveChanged reports whether at least half of the files with these fingerprints that are there have
// lost half of their lines. It is false where the root cannot be read. It stops asking when ctx ends,
// and after a second.
func (f *Files) HaveChanged(ctx context.Context, root string, prints map[string]string) bool {
	if len(prints) == 0 || !IsProject(root) {
		return false
	}
	isChanged, _ := Look(ctx, &f.looks, root, lookLimit, func() bool { return f.haveChanged(ctx, root, prints) })
	return isChanged
}

func (f *Files) haveChanged(ctx context.Context, root string, prints map[string]string) bool {
	dir, err := f.open(root)
	if err != nil {
		return false
	}
	defer func() { _ = dir.Close() }()
	known, changed := 0, 0
	for name, fingerprint := range prints {
		if ctx.Err() != nil {
			return false
		}
		isChanged, isKnown := f.hasChanged(dir, root, name, fingerprint)
		if isKnown {
			known++
		}
		if isChanged {
			changed++
		}
	}
	return changed > 0 && 2*changed >= known
}

// hasChanged compares a file with its fingerprint. Nothing is known of one that is not there, which
// may be on another branch, or that may not be read.
func (f *Files) hasChanged(dir folder, root, name, was string) (isNew, isKnown bool) {
	local, isInside := inside(root, name)
	if !isInside {
		return false, false
	}
	info, err := dir.Stat(local)
	if err != nil || !info.Mode().IsRegular() || leadsAway(root, local) {
		return false, false
	}
	asked := question{root, name, was}
	found, isHeld := f.found.Get(asked)
	if !isHeld || found.size != info.Size() || !found.modified.Equal(info.ModTime()) {
		found = finding{info.Size(), info.ModTime(), isChanged(dir, local, was)}
		f.found.Add(asked, found)
	}
	return found.isChanged, true
}

// isChanged reports whether much of a file's earlier text is gone. It is false for a file that cannot
// be read, or could not be read then: its change is unknown.
func isChanged(dir folder, local, was string) bool {
	if was == unread {
		return false
	}
	text, err := Read(dir, local, maxFile)
	if err != nil {
		return false
	}
	share, known := sketch.LineSample(was).Gone(text)
	return known && share >= muchGone
}

var errUnread = errors.New("not a text of a size to be read")

// Read returns the text of a regular file below dir, of at most so many bytes. One without
// a size is not opened: it has nothing, or is one of the kernel's, which may wait for ever
// (/proc/kmsg). It does not wait for a pipe.
func Read(dir folder, local string, most int64) ([]byte, error) {
	if info, err := dir.Stat(local); err != nil || info.Size() == 0 || info.Size() > most {
		return nil, errors.Join(err, errUnread)
	}
	// Not blocking: the file may have been replaced by a pipe.
	file, err := dir.OpenFile(local, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil, errors.Join(err, errUnread)
	}
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && (int64(len(text)) > most || bytes.IndexByte(text, 0) >= 0) {
		err = errUnread
	}
	return text, err
}

// inside is a path relative to the root, if it leads to a file below it that may be
// read.
func inside(root, name string) (local string, isInside bool) {
	if filepath.IsAbs(name) {
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return "", false
		}
		name = relative
	}
	name = filepath.FromSlash(name)
	return name, filepath.IsLocal(name) && !isSecret(filepath.ToSlash(name))
}

// leadsAway reports whether a link on the way to a file leads out of the root, or to a file that may
// not be read.
func leadsAway(root, local string) bool {
	top, err := filepath.EvalSymlinks(root)
	if err != nil {
		return true
	}
	file, err := filepath.EvalSymlinks(filepath.Join(root, local))
	if err != nil {
		return true
	}
	_, isInside := inside(top, file)
	return !isInside
}
