package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/launcher"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// setAside returns the data that a restore set aside, and the local store that a move to a server left behind.
func setAside(e *environment) ([]string, error) {
	all, errJournals := filesBesides(e.Paths.Journal())
	stores, errStores := filesBesides(e.Paths.Data())
	if e.Config.Store.URL != "" && isThere(e.Paths.Data()) {
		all = append(all, e.Paths.Data())
	}
	for _, file := range stores {
		if !strings.HasSuffix(file, ".engine.json") { // it holds no user data
			all = append(all, file)
		}
	}
	return all, errors.Join(errJournals, errStores)
}

// filesIn returns the paths of a folder's entries, none if the folder does not exist.
func filesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []string{}, fmt.Errorf("list what lies in %s: %w", dir, err)
	}
	return memory.Each(entries, func(entry fs.DirEntry) string { return filepath.Join(dir, entry.Name()) }), nil
}

// allFiles returns the paths of everything that surrealdb-memory keeps in its home. Other files there are not included.
func allFiles(e *environment) ([]string, error) {
	all := e.Paths.AllPaths()
	for _, path := range []string{e.Paths.Data(), e.Paths.Journal()} {
		more, err := filesBesides(path)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	unfinished, err := atomicfile.Unfinished(e.Paths.Home)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the temporary files of interrupted writes in %s: %w", e.Paths.Home, err)
	}
	return append(all, unfinished...), nil
}

// filesBesides returns the files next to the data or the journal whose names begin with its name and a dot: the
// password, and copies that a restore set aside.
func filesBesides(path string) ([]string, error) {
	files, err := filesIn(filepath.Dir(path))
	return slices.DeleteFunc(files, func(file string) bool { return !strings.HasPrefix(filepath.Base(file), filepath.Base(path)+".") }), err
}

// linksToProgram returns the links that memory setup link has made.
func linksToProgram(e *environment) []string {
	return memory.EachIf(launcher.LinkDirs(e.Getenv), func(dir string) (string, bool) {
		link := filepath.Join(dir, "memory")
		return link, launcher.IsLink(link, e.Launched("memory"))
	})
}
