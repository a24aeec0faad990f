// Package filestate looks at the files of projects: what they are like when something is
// said of them, and what has become of them since. It reads regular files below a
// project's root only, follows no link out of it, and reads none that usually hold
// secrets. It keeps no text of a file.
package filestate

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
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
	// unread is the fingerprint of a file that is too large, is binary or has no lines:
	// it can only be gone.
	unread = "-"
	// held bounds the cached findings.
	held = 8192
)

// Files looks at files. It caches what it found. Its methods are safe for concurrent
// use.
type Files struct {
	found *lru.Cache[question, finding]
}

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
	return &Files{found}
}

// Fingerprints returns what the files are like, by the path as it is given, relative to
// the root or absolute. A file that was modified after the given time is left out,
// because it was different then; so is one that is not there, or not to be read. Without
// any the result is nil.
func (f *Files) Fingerprints(root string, paths []string, at time.Time) map[string]string {
	if len(paths) == 0 || !filepath.IsAbs(root) {
		return nil
	}
	dir, err := os.OpenRoot(root)
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
		if err != nil || !info.Mode().IsRegular() || info.ModTime().After(at) {
			continue
		}
		if prints == nil {
			prints = map[string]string{}
		}
		prints[name] = fingerprint(dir, local)
	}
	return prints
}

func fingerprint(dir *os.Root, local string) string {
	text, err := Read(dir, local, maxFile)
	if err != nil {
		return unread
	}
	if sample := string(sketch.SampleLines(text)); sample != "" {
		return sample
	}
	return unread
}

// Since returns what has become of the files with these fingerprints: gone if all of
// them are, changed if at least half of them are gone or have lost half of their lines.
// It is empty where the root cannot be read: then nothing is known. It stops asking when
// ctx ends.
func (f *Files) Since(ctx context.Context, root string, prints map[string]string) memory.FileChange {
	if len(prints) == 0 || !filepath.IsAbs(root) {
		return ""
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return ""
	}
	defer func() { _ = dir.Close() }()
	known, changed, gone := 0, 0, 0
	for name, fingerprint := range prints {
		if ctx.Err() != nil {
			return ""
		}
		switch change, isKnown := f.since(dir, root, name, fingerprint); {
		case !isKnown:
			continue
		case change == memory.FileGone:
			gone++
		case change == memory.FileChanged:
			changed++
		}
		known++
	}
	switch {
	case known > 0 && gone == known:
		return memory.FileGone
	case known > 0 && 2*(gone+changed) >= known:
		return memory.FileChanged
	}
	return ""
}

func (f *Files) since(dir *os.Root, root, name, was string) (change memory.FileChange, isKnown bool) {
	local, isInside := inside(root, name)
	if !isInside {
		return "", false
	}
	info, err := dir.Stat(local)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return memory.FileGone, true
	case err != nil || !info.Mode().IsRegular():
		return "", false
	}
	asked := question{root, name, was}
	found, isHeld := f.found.Get(asked)
	if !isHeld || found.size != info.Size() || !found.modified.Equal(info.ModTime()) {
		found = finding{info.Size(), info.ModTime(), isChanged(dir, local, was)}
		f.found.Add(asked, found)
	}
	if found.isChanged {
		return memory.FileChanged, true
	}
	return "", true
}

// isChanged tells whether much of a file is gone. Of one that cannot be read, or could
// not then, it is not known.
func isChanged(dir *os.Root, local, was string) bool {
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

// Read returns the text of a regular file below dir, of at most so many bytes. It does not
// wait for a pipe.
func Read(dir *os.Root, local string, most int64) ([]byte, error) {
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

// secretFolders and secretFiles usually hold secrets, or nothing that is written by
// hand. A hash of a short line could be guessed.
var (
	secretFolders = []string{".git", ".ssh", ".aws", ".gnupg", ".kube", ".docker"}
	secretFiles   = []string{
		".env", ".env.*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.keystore", "*.jks", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
		".netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd", "credentials*", "secrets*",
	}
)

func isSecret(name string) bool {
	name = strings.ToLower(name)
	if slices.ContainsFunc(strings.Split(path.Dir(name), "/"), func(folder string) bool { return slices.Contains(secretFolders, folder) }) {
		return true
	}
	return slices.ContainsFunc(secretFiles, func(pattern string) bool {
		matches, _ := path.Match(pattern, path.Base(name)) // the patterns are well formed
		return matches
	})
}
