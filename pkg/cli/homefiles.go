package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/launcher"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// backupFiles are the backups, the data that a restore has kept aside, and the store of this machine if
// a move to a server has left it.
func backupFiles(e *environment) ([]string, error) {
	all, errBackups := filesIn(e.Paths.Backups())
	journals, errJournals := filesBesides(e.Paths.Journal())
	stores, errStores := filesBesides(e.Paths.Data())
	all = append(all, journals...)
	if e.Config.Store.URL != "" && sizeOf(e.Paths.Data()) >= 0 {
		all = append(all, e.Paths.Data())
	}
	for _, file := range stores {
		if !strings.HasSuffix(file, ".secret") && !strings.HasSuffix(file, ".engine.json") { // without user data
			all = append(all, file)
		}
	}
	return all, errors.Join(errBackups, errJournals, errStores)
}

// filesIn names the files of a folder; one that is not there has none.
func filesIn(dir string) ([]string, error) {
	files := []string{}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return files, nil
	}
	if err != nil {
		return files, fmt.Errorf("list what lies in %s: %w", dir, err)
	}
	for _, entry := range entries {
		files = append(files, filepath.Join(dir, entry.Name()))
	}
	return files, nil
}

// allFiles are all files that surrealdb-memory keeps on this machine. Only its own
// files are itself is listed, because the home may be a folder with other files in it.
func allFiles(e *environment) ([]string, error) {
	l := e.Paths
	all := l.Made()
	beside := []string{l.Data(), l.Journal()}
	for _, path := range beside {
		more, err := filesBesides(path)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	unfinished, err := atomicfile.Unfinished(l.Home)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list what was not finished in %s: %w", l.Home, err)
	}
	all = append(all, unfinished...)
	return append(all, linksToProgram(e)...), nil
}

// filesBesides lists the files whose names begin as that of the data or the journal: the
// password, and the copies that a restore has kept aside.
func filesBesides(path string) ([]string, error) {
	var all []string
	files, err := filesIn(filepath.Dir(path))
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), filepath.Base(path)+".") {
			all = append(all, file)
		}
	}
	return all, err
}

// sizeOf is the bytes of all files below a path, or -1 if it is not there.
func sizeOf(path string) int64 {
	if _, err := os.Lstat(path); err != nil {
		return -1
	}
	var size int64
	_ = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile, or not readable: the removal reports it
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}

// leftIn removes an empty home, or names the files left in it.
func leftIn(home string) ([]string, error) {
	left, err := filesIn(home)
	if err == nil && len(left) == 0 {
		_ = os.Remove(home) // if it cannot be removed, an empty folder remains
	}
	return left, err
}

// linksToProgram are those that memory setup link has made.
func linksToProgram(e *environment) []string {
	var all []string
	for _, dir := range launcher.LinkDirs(e.Getenv) {
		if link := filepath.Join(dir, "memory"); launcher.IsLink(link, e.Launched("memory")) {
			all = append(all, link)
		}
	}
	return all
}

// installedPrograms are the files of the engine and the programs, without any memories.
func installedPrograms(e *environment) []string {
	all := append([]string{e.Paths.Engine(), e.Paths.Run(), e.Paths.Socket(), e.Paths.Clients(), e.Paths.Bin()},
		linksToProgram(e)...)
	return append(all, filepath.Join(paths.InstalledRoot(e.Executable), "programs"))
}
