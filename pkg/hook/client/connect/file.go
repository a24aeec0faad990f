package connect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// file is one file of Codex's configuration, with the part that is ours: the hooks or the server.
type file struct {
	path string
	part part
}

// part is our part of a file.
type part interface {
	Add(content []byte) ([]byte, error)
	Remove(content []byte) ([]byte, error)
	Has(content []byte) (bool, error) // the whole part, as this version writes it
}

// change is a file's new content.
type change struct {
	path         string
	mode         fs.FileMode
	old, content []byte
}

// now returns the file's current content as a change. A missing file is empty.
func (f file) now() (change, error) {
	one := change{path: f.path, mode: 0o600}
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return one, nil
	}
	if err != nil {
		return one, err
	}
	one.mode = info.Mode().Perm()
	one.old, err = read(f.path)
	return one, err
}

// write replaces the file, or removes it if it has become empty. It follows a link, because people keep their settings in a
// repository; there the file stays.
func (one change) write() error {
	path := one.path
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	switch isLink := path != one.path; {
	case len(one.content) == 0 && !isLink:
		return os.Remove(path)
	case len(one.content) == 0 && filepath.Ext(path) == ".json":
		one.content = []byte("{}\n")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, one.mode, one.content)
}
