package automemory

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

const (
	// lookTime is how long reading a folder may take.
	lookTime = 10 * time.Second
	// mostFiles and mostEntries bound the files of a folder that are read, and the entries
	// that are looked at; mostBytes each file, and mostFacts the facts of one.
	mostFiles   = 1000
	mostEntries = 5000
	mostBytes   = 256 << 10
	mostFacts   = 200
	// mostSettings bounds the client's settings, in bytes.
	mostSettings = 4 << 20
)

// folderOf is the folder of the client's memory of the project at a root; empty if the user has
// switched that memory off. All worktrees of a repository have the same one. A project's
// settings name none: only those of the user count.
func folderOf(clientDir, root string) string {
	settings := struct {
		Enabled   *bool  `json:"autoMemoryEnabled"`
		Directory string `json:"autoMemoryDirectory"`
	}{}
	if client, err := os.OpenRoot(clientDir); err == nil {
		text, err := filestate.Read(client, "settings.json", mostSettings)
		if err == nil && json.Unmarshal(text, &settings) != nil { // the client uses none of it either
			settings.Enabled, settings.Directory = nil, ""
		}
		_ = client.Close()
	}
	if settings.Enabled != nil && !*settings.Enabled {
		return ""
	}
	if below, isHome := strings.CutPrefix(settings.Directory, "~/"); isHome {
		if home, err := os.UserHomeDir(); err == nil && filepath.IsLocal(below) {
			settings.Directory = filepath.Join(home, below)
		}
	}
	if filepath.IsAbs(settings.Directory) {
		return filepath.Clean(settings.Directory)
	}
	return filepath.Join(clientDir, filepath.Dir(importer.MemoryFile(project.MainRoot(root))))
}

// listing is a folder as it is now.
type listing struct {
	files   map[string]file   // by path below the folder, with slashes
	texts   map[string][]byte // of the files that changed
	refused map[string]error  // of the files that changed: why nothing is made of one
	// isPartial is set if there are more files, or some could not be read.
	isPartial bool
}

// has reports whether the folder has a file.
func (l listing) has(name string) bool {
	_, is := l.files[name]
	return is
}

// list reads the Markdown files of a folder but for those that have not changed since before.
// A folder that is gone has none, as long as the client's own directory is there.
func list(client, folder string, before map[string]file) listing {
	l := listing{files: map[string]file{}, texts: map[string][]byte{}, refused: map[string]error{}}
	root, err := os.OpenRoot(folder)
	if err != nil {
		_, clientErr := os.Stat(client)
		l.isPartial = !errors.Is(err, fs.ErrNotExist) || clientErr != nil
		return l.orBefore(before)
	}
	defer func() { _ = root.Close() }()
	l.walk(root)
	isSame := slices.Equal(slices.Sorted(maps.Keys(l.files)), slices.Sorted(maps.Keys(before)))
	for name, now := range l.files {
		was, wasThere := before[name]
		// The facts of an index depend on the files that it links to.
		if wasThere && was.Size == now.Size && was.Modified.Equal(now.Modified) && (isSame || path.Base(name) != indexFile) {
			l.files[name] = was
			continue
		}
		l.read(root, name)
	}
	return l.orBefore(before)
}

// read reads a file that has changed. The facts of one that cannot be read now stay.
func (l *listing) read(root *os.Root, name string) {
	text, err := filestate.Read(root, filepath.FromSlash(name), mostBytes)
	var failed *fs.PathError
	switch {
	case err == nil:
		l.texts[name] = text
	case errors.Is(err, fs.ErrNotExist):
		delete(l.files, name)
	case errors.As(err, &failed):
		delete(l.files, name)
		l.refused[name], l.isPartial = err, true
	default:
		l.refused[name] = err
	}
}

// indexFile lists the other files of a folder.
const indexFile = "MEMORY.md"

// orBefore keeps the files of before where not all are known.
func (l listing) orBefore(before map[string]file) listing {
	if l.isPartial {
		for name, was := range before {
			if !l.has(name) {
				l.files[name] = was
			}
		}
	}
	return l
}

// others is the folder in which the client has texts that other people share.
const others = "team"

// walk finds the regular files, those that a link names inside the folder included.
func (l *listing) walk(root *os.Root) {
	entries := 0
	err := fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		entries++
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			l.isPartial = l.isPartial || !errors.Is(err, fs.ErrNotExist)
			return nil
		case entry.IsDir() && isLeftOut(name):
			return fs.SkipDir
		case entries > mostEntries || len(l.files) >= mostFiles && isTopic(name, entry):
			l.isPartial = true
			return fs.SkipAll
		case !isTopic(name, entry):
			return nil
		}
		info, err := root.Stat(filepath.FromSlash(name)) // an error: it leads out, or nowhere
		if err == nil && info.Mode().IsRegular() {
			l.files[name] = file{Size: info.Size(), Modified: info.ModTime()}
		}
		return nil
	})
	if err != nil {
		l.refused["."] = fmt.Errorf("list it: %w", err)
		l.isPartial = true
	}
}

func isLeftOut(folder string) bool {
	return strings.HasPrefix(path.Base(folder), ".") && folder != "." || folder == others
}

func isTopic(name string, entry fs.DirEntry) bool {
	return !entry.IsDir() && strings.EqualFold(path.Ext(name), ".md") && !strings.HasPrefix(path.Base(name), ".")
}
