package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// dataSuffixes are the suffixes of the data directory (none) and of the files that belong to it.
var dataSuffixes = []string{"", secretSuffix, formatSuffix}

// RemoveData removes a data directory and the files that belong to it, if they exist.
func RemoveData(data string) error {
	var errs []error
	for _, suffix := range dataSuffixes {
		errs = append(errs, os.RemoveAll(data+suffix))
	}
	return errors.Join(errs...)
}

// replaceSuffix is the suffix of the file that marks an unfinished replacement of the data.
const replaceSuffix = ".replace"

// replacement is the content of the file with replaceSuffix: the source of the new data, and the destination of the old data.
type replacement struct {
	Next string `json:"next"`
	Kept string `json:"kept"`
}

// ReplaceData moves the data directory data with its files to kept, and next to data. If the directory data is missing, its
// files are worthless and are deleted, and kept stays as it is; else kept must not exist. No engine may run on either
// directory. If this process is killed meanwhile, the next process that starts an engine on data completes the work.
func ReplaceData(data, next, kept string) error {
	if _, err := os.Stat(next); err != nil {
		return fmt.Errorf("replace the data in %s: %w", data, err)
	}
	if !isThere(data) {
		if err := RemoveData(data); err != nil {
			return fmt.Errorf("replace the data in %s: %w", data, err)
		}
	}
	for _, suffix := range dataSuffixes {
		if isThere(data+suffix) && isThere(kept+suffix) {
			return fmt.Errorf("replace the data in %s: %s exists already", data, kept+suffix)
		}
	}
	if err := atomicfile.WriteJSON(data+replaceSuffix, replacement{Next: next, Kept: kept}); err != nil {
		return fmt.Errorf("replace the data in %s: %w", data, err)
	}
	err := FinishReplacing(data)
	if err != nil && isThere(next) && isThere(next+secretSuffix) && !isThere(kept) { // nothing was moved yet
		err = errors.Join(err, os.Remove(data+replaceSuffix))
	}
	return err
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// FinishReplacing completes a ReplaceData that was interrupted. It does nothing if none was.
func FinishReplacing(data string) error {
	var found replacement
	err := atomicfile.ReadJSON(data+replaceSuffix, &found)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("finish replacing the data in %s, which %s marks as unfinished: %w", data, data+replaceSuffix, err)
	}
	for _, suffix := range dataSuffixes {
		if err == nil {
			err = move(data+suffix, found.Next+suffix, found.Kept+suffix)
		}
	}
	if err == nil {
		err = atomicfile.SyncDir(filepath.Dir(data))
	}
	if err != nil {
		return fmt.Errorf("finish replacing the data in %s: %w", data, err)
	}
	return os.Remove(data + replaceSuffix)
}

// move moves current to kept and next to current, as far as that has not been done yet.
func move(current, next, kept string) error {
	switch _, err := os.Lstat(next); {
	case errors.Is(err, fs.ErrNotExist): // already moved
		return nil
	case err != nil:
		return err
	}
	if isThere(current) {
		if isThere(kept) {
			return fmt.Errorf("%s, %s and %s all exist: move %s away", current, next, kept, current)
		}
		if err := os.Rename(current, kept); err != nil {
			return err
		}
	}
	return os.Rename(next, current)
}
