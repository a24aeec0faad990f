package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// The suffixes of the data that a replacement keeps, and of data that is complete and waits to replace another.
const (
	KeptSuffix  = ".before"
	readySuffix = ".ready"
)

// RemoveData removes a data directory and its record, if they exist.
func RemoveData(data string) error {
	return errors.Join(os.RemoveAll(data), os.RemoveAll(data+formatSuffix))
}

// ReplaceData replaces a data directory and its record by those of the directory next. It keeps the old ones under the name with KeptSuffix,
// in place of what was kept before. If there is no old directory, what was kept stays. No engine may run on any of the directories.
// If this process is killed meanwhile, the next process that starts an engine on data completes the work.
func ReplaceData(data, next string) error {
	err := moveIfThere(next+formatSuffix, data+readySuffix+formatSuffix)
	if err == nil {
		err = os.Rename(next, data+readySuffix) // the replacement is certain from now on
	}
	if err != nil {
		return fmt.Errorf("replace the data in %s: %w", data, err)
	}
	return FinishReplacing(data)
}

// FinishReplacing completes a ReplaceData that was interrupted. It does nothing if none was.
func FinishReplacing(data string) error {
	ready, kept := data+readySuffix, data+KeptSuffix
	if !isThere(ready) {
		return nil
	}
	var err error
	if isThere(data) {
		if err = RemoveData(kept); err == nil {
			err = os.Rename(data, kept)
		}
	}
	moves := [][2]string{{ready + formatSuffix, data + formatSuffix}, {ready, data}}
	if isThere(kept) && !isThere(kept+formatSuffix) {
		moves = append([][2]string{{data + formatSuffix, kept + formatSuffix}}, moves...)
	}
	for _, move := range moves {
		if err == nil {
			err = moveIfThere(move[0], move[1])
		}
	}
	if err == nil {
		err = atomicfile.SyncDir(filepath.Dir(data))
	}
	if err != nil {
		return fmt.Errorf("put the new data in the place of %s: %w", data, err)
	}
	return nil
}

// moveIfThere renames a file or directory, unless it is missing.
func moveIfThere(from, to string) error {
	if err := os.Rename(from, to); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
