// Package atomicfile replaces a file so that a reader, and whoever comes after a
// crash, finds the old content or the new one: it writes beside the file, syncs,
// renames, and syncs the folder. It owns that order and the names of unfinished
// files. It refuses to make folders, and to write into one that others may change:
// the spool does that through an os.Root of its own.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// unfinishedMark begins the random part of an unfinished file's name.
const unfinishedMark = ".unfinished-"

// Write replaces the file at path by content.
func Write(path string, mode fs.FileMode, content []byte) error {
	return Fill(path, mode, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Fill replaces the file at path by the output of fill. Until all of that is on the disk
// the file stays as it is; after an error it stays so, unless the error is of the last
// step, which makes the new name durable. The mode is set whatever the umask.
func Fill(path string, mode fs.FileMode, fill func(io.Writer) error) error {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	file, err := os.CreateTemp(dir, "."+name+unfinishedMark+"*")
	if failed, isPath := errors.AsType[*fs.PathError](err); isPath {
		return &fs.PathError{Op: "create a file in", Path: dir, Err: failed.Err} // the name that it would have had helps nobody
	}
	if err != nil {
		return err
	}
	err = fill(file)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return SyncDir(dir)
}

// Unfinished lists the files that writers are at, those of killed writers included. A
// folder that is not there has none.
func Unfinished(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found []string
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, ".") && strings.Contains(name, unfinishedMark) {
			found = append(found, filepath.Join(dir, name))
		}
	}
	return found, nil
}
