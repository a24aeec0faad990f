package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

// Anybody can write a file that claims to have the user's words. Only a person may vouch for it, and only for a file
// that did not come with a repository.

// mayBeMine returns why a file cannot count as the user's own words; nil if it can. flag is the flag that
// vouches for it.
func mayBeMine(e *environment, path, flag string) error {
	if err := e.OnlyPerson("says that " + path + " is theirs"); err != nil {
		return fmt.Errorf("%w; or import it without %s", err, flag)
	}
	root := project.Repository(path)
	if root == "" || root == project.Resolved(e.Getenv("HOME")) {
		return nil
	}
	known, err := noteFolders(e)
	if err != nil || slices.Contains(known, project.Resolved(path)) {
		return err
	}
	return fmt.Errorf("%s lies in the git repository %s, so anybody may have written it: import it without %s, or copy what is yours out of the repository", path, root, flag)
}

// noteFolders are the folders that memory export --markdown has written here.
func noteFolders(e *environment) ([]string, error) {
	list, err := os.ReadFile(e.Paths.NoteFolders())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read which folders have notes: %w", err)
	}
	return strings.FieldsFunc(string(list), func(r rune) bool { return r == '\n' }), nil
}

// rememberFolder records a folder that was written.
func rememberFolder(e *environment, folder string) error {
	known, err := noteFolders(e)
	folder = project.Resolved(folder)
	if err != nil || slices.Contains(known, folder) || strings.Contains(folder, "\n") {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(e.Paths.NoteFolders()), 0o700); err != nil {
		return fmt.Errorf("record the folder of notes: %w", err)
	}
	return atomicfile.Write(e.Paths.NoteFolders(), 0o600, []byte(strings.Join(append(known, folder), "\n")+"\n"))
}
