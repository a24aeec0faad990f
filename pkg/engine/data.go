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

// dataSuffixes name the data directory itself and the files beside it that belong to it.
var dataSuffixes = []string{"", secretSuffix, madeSuffix}

// RemoveData removes a data directory with the files beside it, if it is there.
func RemoveData(data string) error {
	var errs []error
	for _, suffix := range dataSuffixes {
		errs = append(errs, os.RemoveAll(data+suffix))
	}
	return errors.Join(errs...)
}

// CopyData copies a data directory for another engine, which is to open the copy. No engine may run on either.
func CopyData(data, to string, made Made) error {
	secret, err := os.ReadFile(data + secretSuffix)
	if err == nil {
		err = os.CopyFS(to, os.DirFS(data))
	}
	if err == nil {
		err = errors.Join(os.Chmod(to, 0o700), os.WriteFile(to+secretSuffix, secret, 0o600), WriteMade(to, made))
	}
	if err != nil {
		return fmt.Errorf("copy the data in %s: %w", data, err)
	}
	return nil
}

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
	for _, suffix := range dataSuffixes {
		if isThere(kept + suffix) {
			return fmt.Errorf("replace the data in %s: %s is there already", data, kept+suffix)
		}
	}
	content, err := json.Marshal(replacement{Next: next, Kept: kept})
	if err == nil {
		err = atomicfile.Write(data+replaceSuffix, 0o600, content)
	}
	if err != nil {
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
