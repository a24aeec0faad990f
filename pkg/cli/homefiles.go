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

// backupFiles returns the backups, the data that a restore set aside, and the local store that a move to a server
// left behind.
func backupFiles(e *environment) ([]string, error) {
	all, errBackups := filesIn(e.Paths.Backups())
	journals, errJournals := filesBesides(e.Paths.Journal())
	stores, errStores := filesBesides(e.Paths.Data())
	all = append(all, journals...)
	if e.Config.Store.URL != "" && isThere(e.Paths.Data()) {
		all = append(all, e.Paths.Data())
	}
	for _, file := range stores {
		if !strings.HasSuffix(file, ".engine.json") { // it holds no user data
			all = append(all, file)
		}
	}
	return all, errors.Join(errBackups, errJournals, errStores)
}

// filesIn returns the paths of a folder's entries, none if the folder does not exist.
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

// allFiles returns the paths of everything that surrealdb-memory keeps on this machine. Other files in the home are
// not included.
func allFiles(e *environment) ([]string, error) {
	l := e.Paths
	all := l.AllPaths()
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

// filesBesides returns the files next to the data or the journal whose names begin with its name and a dot: the
// password, and copies that a restore set aside.
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

// leftIn removes the home if it is empty. Otherwise it returns the files in it.
func leftIn(home string) ([]string, error) {
	left, err := filesIn(home)
	if err == nil && len(left) == 0 {
		_ = os.Remove(home) // if this fails, an empty folder remains
	}
	return left, err
}

// linksToProgram returns the links that memory setup link has made.
func linksToProgram(e *environment) []string {
	var all []string
	for _, dir := range launcher.LinkDirs(e.Getenv) {
		if link := filepath.Join(dir, "memory"); launcher.IsLink(link, e.Launched("memory")) {
			all = append(all, link)
		}
	}
	return all
}

// installedPrograms returns the paths of the engine and the programs, which hold no memories.
func installedPrograms(e *environment) []string {
	all := append([]string{e.Paths.Engine(), e.Paths.Run(), e.Paths.Socket(), e.Paths.Clients(), e.Paths.Bin()},
		linksToProgram(e)...)
	return append(all, filepath.Join(paths.InstalledRoot(e.Executable), "programs"))
}
