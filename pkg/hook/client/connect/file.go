package connect

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/settings"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// file is one file of Codex's configuration, with the part that is ours: the hooks or the server.
type file struct {
	path string
	part interface {
		Add(content []byte) ([]byte, error)
		Remove(content []byte) ([]byte, error)
		Has(content []byte) (bool, error) // the whole part, as this version writes it
	}
}

// hasSome reports whether a file contains any entry of ours, also of an earlier version.
func (f file) hasSome(content []byte) bool {
	left, err := f.part.Remove(content)
	return err == nil && !bytes.Equal(left, content)
}

// change is what Connect did to a file. The exported fields are saved in the record.
type change struct {
	Path    string      `json:"path"`
	Existed bool        `json:"existed"`
	Before  []byte      `json:"before,omitempty"` // the content without our entries
	After   string      `json:"after"`            // hash of the content with our entries
	Mode    fs.FileMode `json:"-"`
	old     []byte
	content []byte
}

// now returns the file's current content as a change. It fails with fs.ErrNotExist if there is no file.
func (f file) now() (change, error) {
	one := change{Path: f.path, Mode: 0o600}
	info, err := os.Stat(f.path)
	if err != nil {
		return one, err
	}
	one.Existed, one.Mode = true, info.Mode().Perm()
	one.old, err = settings.Read(f.path)
	return one, err
}

// plan returns the change that adds our entries. last is the recorded change; its Path is empty if none is recorded.
func (f file) plan(last change) (change, error) {
	one, err := f.now()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return one, err
	}
	if one.content, err = f.part.Add(one.old); err != nil {
		return one, err
	}
	one.After = sum(one.content)
	if last.Path != "" && last.After == sum(one.old) { // nobody has changed the file since
		one.Before, one.Existed = last.Before, last.Existed
		return one, nil
	}
	one.Before, err = f.part.Remove(one.old)
	return one, err
}

// write replaces the file. It follows a link, because people keep their settings in a repository.
func (one change) write(content []byte) error {
	if bytes.Equal(one.old, content) {
		return nil
	}
	path := one.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, one.Mode, content)
}

// without returns the change that removes our entries, or restores the recorded content if nobody has changed the file
// since. It fails with fs.ErrNotExist if there is no file.
func (f file) without(last change) (change, error) {
	one, err := f.now()
	if err == nil {
		one.content, err = f.part.Remove(one.old)
	}
	if err != nil {
		return change{}, err
	}
	if len(one.content) == 0 && len(one.old) > 0 { // the file had only our entries
		one.Existed = false
	}
	if last.Path != "" && (last.After == sum(one.old) || bytes.Equal(one.content, last.Before)) {
		one.content, one.Existed = last.Before, last.Existed
	}
	return one, nil
}

func sum(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:])
}
