// Package atomicfile replaces a file so that a reader, even after a crash, finds either the old or the new content: it
// writes and syncs a new file beside it, renames the new file, and syncs the folder. It does not create folders, and is
// not safe in a folder that other users may change. The spool has its own version for such folders, with an os.Root.
package atomicfile

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// unfinishedMark precedes the random part of an unfinished file's name.
const unfinishedMark = ".unfinished-"

// Write replaces the content of the file at path. It fails and keeps the old content as Fill does.
func Write(path string, mode fs.FileMode, content []byte) error {
	return Fill(path, mode, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// WriteJSON replaces the content of a file that only the user may read by a value as JSON. It fails as Fill does.
func WriteJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return Write(path, 0o600, text)
}

// ReadJSON reads a JSON file into a value. It fails if the file cannot be read, or is not JSON of the value's type.
func ReadJSON(path string, value any) error {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, value)
	}
	return err
}

// Fill replaces the file at path by the output of fill, with the given mode whatever the umask. After an error the
// old file is unchanged, unless the error is from the last step, the sync of the folder.
func Fill(path string, mode fs.FileMode, fill func(io.Writer) error) error {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	file, err := os.CreateTemp(dir, "."+name+unfinishedMark+"*")
	if failed, isPath := errors.AsType[*fs.PathError](err); isPath {
		return &fs.PathError{Op: "create a file in", Path: filepath.Clean(dir), Err: failed.Err} // the temporary name helps nobody
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

// Unfinished returns the unfinished files of writers, also of killed writers, in a folder. A missing folder has none.
func Unfinished(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
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
