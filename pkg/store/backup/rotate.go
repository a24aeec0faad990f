package backup

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

const nameTime = "20060102T150405.000Z"

var backupName = regexp.MustCompile(`^memory-(\d{8}T\d{6}\.\d{3}Z)\.jsonl\.gz$`)

// Name returns the file name of a backup that is made at a time. Names sort by time.
func Name(at time.Time) string { return "memory-" + at.UTC().Format(nameTime) + ".jsonl.gz" }

// List returns the backups in a directory that are named by Name, the best for a rebuild first: the backup that
// contains the most of the journal, and of equal backups the newest. So the order is right even if the clock was
// wrong. A missing directory has none.
func List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the backups: %w", err)
	}
	paths := memory.EachIf(entries, func(entry fs.DirEntry) (string, bool) {
		_, isBackup := MadeAt(entry.Name())
		return filepath.Join(dir, entry.Name()), isBackup
	})
	slices.Reverse(paths)
	ends := map[string]string{}
	for _, path := range paths {
		if r, err := open(path); err == nil { // an unreadable file is last
			ends[path] = r.header.JournalEnd
			_ = r.file.Close()
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(ends[b], ends[a]) })
	return paths, nil
}

// MadeAt returns the time in a file name made by Name, and false for any other name.
func MadeAt(path string) (time.Time, bool) {
	parts := backupName.FindStringSubmatch(filepath.Base(path))
	if parts == nil {
		return time.Time{}, false
	}
	at, err := time.Parse(nameTime, parts[1])
	return at, err == nil
}

// Expired returns the backups to delete from a list that begins with the newest. It keeps all backups of the newest day
// (UTC), and the newest backup of each of the keep-1 earlier days that have any.
func Expired(paths []string, keep int) []string {
	var expired []string
	days, last := 0, ""
	for _, path := range paths {
		at, _ := MadeAt(path)
		day := at.Format(time.DateOnly)
		isNewest := day != last
		if isNewest {
			days, last = days+1, day
		}
		if days > keep || days > 1 && !isNewest {
			expired = append(expired, path)
		}
	}
	return expired
}

// Rotate deletes the expired backups in a directory and returns their paths. It also deletes the temporary files of killed writers.
func Rotate(dir string, keep int) ([]string, error) {
	unfinished, err := atomicfile.Unfinished(dir)
	if err != nil {
		return nil, fmt.Errorf("rotate the backups: %w", err)
	}
	all, err := List(dir)
	if err != nil {
		return nil, err
	}
	expired := Expired(all, keep)
	for _, path := range append(unfinished, expired...) {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("rotate the backups: %w", err)
		}
	}
	return expired, nil
}
