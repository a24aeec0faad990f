package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// KeptSuffix is the suffix of the old data, which a replacement keeps; readySuffix is the suffix of complete new data that still waits to replace the old.
const (
	KeptSuffix  = ".before"
	readySuffix = ".ready"
)

// RemoveData removes a data directory and its record, if they exist.
func RemoveData(data string) error {
	return errors.Join(os.RemoveAll(data), os.RemoveAll(data+formatSuffix))
}

// ReplaceData replaces a data directory and its record by the directory next and its record. It keeps the old ones under the name with
// KeptSuffix, in place of what was kept before. If there is no old directory, what was kept stays. No engine may run on any of the
// directories. If this process is killed meanwhile, the next process that starts an engine on data completes the work.
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

// FinishReplacing completes a ReplaceData that was interrupted. It does nothing if there is none.
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

// formatSuffix is the suffix of the file, beside the data, that records the engine of the data.
const formatSuffix = ".engine.json"

// dataFormat is the content of the file with formatSuffix. SurrealDB writes rows in a format that older engines cannot read, and
// upgrades data on the first write, so only an engine with the same format may open the directory.
type dataFormat struct {
	Version string `json:"version"` // version of SurrealDB
}

// generation returns the row format of a version of SurrealDB, such as 3.0. Versions 3.1 and 3.2 have the same format;
// each minor version from 3.3 on may migrate the data that it opens.
func generation(version string) string {
	format := numbers(version)
	if format[0] == 3 && format[1] == 2 {
		format[1] = 1
	}
	return fmt.Sprintf("%d.%d", format[0], format[1])
}

// numbers returns the three numbers of a version such as v3.1.0-beta. Missing numbers are 0.
func numbers(version string) (all [3]int) {
	_, _ = fmt.Sscanf(strings.TrimPrefix(version, "v"), "%d.%d.%d", &all[0], &all[1], &all[2])
	return all
}

// ReadDataFormat returns the version of the engine that a data directory belongs to, or "" if there is neither data nor a
// record. It fails if there is data without a record.
func ReadDataFormat(data string) (version string, err error) {
	var made dataFormat
	err = atomicfile.ReadJSON(data+formatSuffix, &made)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		empty, err := IsEmpty(data)
		if err == nil && !empty {
			err = fmt.Errorf("%s is missing, the record of the engine that the data belongs to: copy it from the data's old place, or restore a backup with memory restore FILE", data+formatSuffix)
		}
		return "", err
	case err != nil:
		return "", fmt.Errorf("%s, which names the engine that wrote the store, cannot be read: %w", data+formatSuffix, err)
	}
	return made.Version, nil
}

// WriteDataFormat records the version of the engine that a data directory belongs to.
func WriteDataFormat(data, version string) error {
	if err := atomicfile.WriteJSON(data+formatSuffix, dataFormat{version}); err != nil {
		return fmt.Errorf("write %s: %w", data+formatSuffix, err)
	}
	return nil
}

// RemoveDataFormat deletes the record of data that is gone for good (ErrGone), so that the next engine begins a new store.
func RemoveDataFormat(data string) error {
	if err := os.Remove(data + formatSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", data+formatSuffix, err)
	}
	return nil
}

// IsEmpty reports whether a data directory is empty or missing.
func IsEmpty(data string) (bool, error) {
	entries, err := os.ReadDir(data)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the data directory: %w", err)
	}
	return len(entries) == 0, nil
}
