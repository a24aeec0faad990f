package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
)

// replaceSuffix names, beside the data, the file that says that a replacement is
// under way.
const replaceSuffix = ".replace"

// replacement is the content of that file: where the new data is and where the old goes.
type replacement struct {
	Next string `json:"next"`
	Kept string `json:"kept"`
}

// ReplaceData moves the data directory data, with the files beside it, to kept, and
// next to data. Nothing is deleted. No engine may run on either. If this process dies
// in between, the next process that starts an engine on data finishes the work.
func ReplaceData(data, next, kept string) error {
	if _, err := os.Stat(next); err != nil {
		return fmt.Errorf("replace the data in %s: %w", data, err)
	}
	for _, taken := range []string{kept, kept + secretSuffix, kept + madeSuffix} {
		if isThere(taken) {
			return fmt.Errorf("replace the data in %s: %s is there already", data, taken)
		}
	}
	content, err := json.Marshal(replacement{Next: next, Kept: kept})
	if err != nil {
		return fmt.Errorf("replace the data in %s: %w", data, err)
	}
	if err := atomicfile.Write(data+replaceSuffix, 0o600, content); err != nil {
		return fmt.Errorf("replace the data in %s: %w", data, err)
	}
	err = FinishReplacing(data)
	if err != nil && isThere(next) && isThere(next+secretSuffix) && !isThere(kept) { // nothing has been moved
		err = errors.Join(err, os.Remove(data+replaceSuffix))
	}
	return err
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// FinishReplacing finishes a ReplaceData that was interrupted by the end of its process;
// as a rule there is nothing to do.
func FinishReplacing(data string) error {
	content, err := os.ReadFile(data + replaceSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var found replacement
	if err == nil {
		err = json.Unmarshal(content, &found)
	}
	if err != nil {
		return fmt.Errorf("finish replacing the data in %s, which %s says is under way: %w", data, data+replaceSuffix, err)
	}
	err = move(data, found.Next, found.Kept)
	if err == nil {
		err = move(data+secretSuffix, found.Next+secretSuffix, found.Kept+secretSuffix)
	}
	if err == nil {
		err = move(data+madeSuffix, found.Next+madeSuffix, found.Kept+madeSuffix)
	}
	if err != nil {
		return fmt.Errorf("finish replacing the data in %s: %w", data, err)
	}
	if err := atomicfile.SyncDir(filepath.Dir(data)); err != nil {
		return fmt.Errorf("finish replacing the data in %s: %w", data, err)
	}
	return os.Remove(data + replaceSuffix)
}

// move puts next in the place of current, and current aside, as far as that has
// not been done.
func move(current, next, kept string) error {
	switch _, err := os.Lstat(next); {
	case errors.Is(err, fs.ErrNotExist): // it has its place
		return nil
	case err != nil:
		return err
	}
	if isThere(current) {
		if isThere(kept) {
			return fmt.Errorf("%s, %s and %s are all there: move %s away", current, next, kept, current)
		}
		if err := os.Rename(current, kept); err != nil {
			return err
		}
	}
	return os.Rename(next, current)
}
