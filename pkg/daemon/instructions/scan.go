package instructions

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
)

const (
	// maxFile is the maximum size of a file that is read, in bytes.
	maxFile = 256 << 10
	// maxFiles and maxSentences are the maximum numbers of files and sentences read for one place.
	maxFiles     = 50
	maxSentences = 2000
	// maxEntries is the maximum number of entries examined in a rules folder.
	maxEntries = 500
)

// place is where a session works: the project's root, the directory below it in which the client was started, the
// directory of Claude Code's settings, and the client's name, which is empty except for Codex.
type place struct{ root, dir, settings, client string }

// file is a file that the client loads, as it was read.
type file struct {
	path     string // absolute
	name     string // relative to the project, or absolute, for people
	size     int64
	modified time.Time
	as       text
	contents
}

func (f file) isSame(other file) bool {
	return f.path == other.path && f.as == other.as && f.size == other.size && f.modified.Equal(other.modified)
}

// The names that Claude Code looks for in each folder from the working directory up to the root. It loads the files
// of other agents only if the project has no CLAUDE.md.
var (
	ownNames   = []string{"CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"}
	otherNames = []string{"AGENTS.md", ".claude/AGENTS.md"}
)

// codexNames has the names that Codex looks for in the same folders.
var codexNames = []string{"AGENTS.md"}

// scan returns the files that the client loads in a place. It takes unchanged files from before.
func scan(where place, before []file) []file {
	s := scanner{before: map[string]file{}, seen: map[string]bool{}}
	for _, f := range before {
		s.before[f.path] = f
	}
	if where.client != "" {
		s.in(where.root, func(base folder) { s.addEach(base, foldersOf(where), codexNames) })
		return s.found
	}
	s.in(where.root, func(base folder) {
		folders := foldersOf(where)
		hasOwn := s.addEach(base, folders, ownNames)
		if !hasOwn {
			s.addEach(base, folders, otherNames)
		}
		for _, name := range folders {
			s.addRules(base, path.Join(name, ".claude/rules"))
		}
	})
	if filepath.IsAbs(where.settings) {
		s.in(where.settings, func(base folder) {
			base.isClient = true
			s.add(base, "CLAUDE.md", text{})
			for _, dir := range []string{project.MainRoot(where.root), where.dir} {
				s.add(base, filepath.ToSlash(importer.MemoryFile(dir)), text{isMemory: true})
			}
			s.addRules(base, "rules")
		})
	}
	return s.found
}

// foldersOf returns the folders from the root down to the working directory, relative to the root, or only the root
// if the working directory is elsewhere.
func foldersOf(where place) []string {
	folders := []string{"."}
	below, err := filepath.Rel(where.root, where.dir)
	if err != nil || !filepath.IsLocal(below) || below == "." {
		return folders
	}
	name := ""
	for part := range strings.SplitSeq(filepath.ToSlash(below), "/") {
		name = path.Join(name, part)
		folders = append(folders, name)
	}
	return folders
}

// scanner collects the files of one scan.
type scanner struct {
	before    map[string]file // by path
	seen      map[string]bool // paths
	found     []file
	sentences int
}

// folder is a folder in which files are read. Links cannot lead out of it.
type folder struct {
	*os.Root
	isClient bool
}

// in calls do with a folder if the folder can be opened.
func (s *scanner) in(dir string, do func(folder)) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	do(folder{Root: root})
}

// addEach adds the files with these names in each folder, and reports whether there is any.
func (s *scanner) addEach(base folder, folders, names []string) bool {
	isAny := false
	for _, within := range folders {
		for _, name := range names {
			if s.add(base, path.Join(within, name), text{}) {
				isAny = true
			}
		}
	}
	return isAny
}

// addRules adds the Markdown files below a folder.
func (s *scanner) addRules(base folder, name string) {
	entries := 0
	_ = fs.WalkDir(base.FS(), name, func(name string, entry fs.DirEntry, err error) error { // a missing folder has no files
		if entries++; entries > maxEntries || len(s.found) >= maxFiles {
			return fs.SkipAll
		}
		if err == nil && !entry.IsDir() && path.Ext(name) == ".md" {
			s.add(base, name, text{isRule: true})
		}
		return nil
	})
}

// add adds a file with its inclusions, and reports whether it exists.
func (s *scanner) add(base folder, name string, as text) bool {
	if name = path.Clean(name); !s.addOne(base, name, as) {
		return false
	}
	for _, included := range s.found[len(s.found)-1].includes {
		s.addOne(base, included, text{isIncluded: true})
	}
	return true
}

// addOne adds a regular file, and reports whether it exists and is new.
func (s *scanner) addOne(base folder, name string, as text) bool {
	full := filepath.Join(base.Name(), filepath.FromSlash(name))
	if s.seen[full] || len(s.found) >= maxFiles {
		return false
	}
	info, err := base.Stat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	s.seen[full] = true
	as.name, as.root = name, base.Name()
	f := file{path: full, name: name, size: info.Size(), modified: info.ModTime(), as: as}
	if base.isClient {
		f.name = full
	}
	if old, held := s.before[full]; held && old.isSame(f) {
		f = old
	} else if content, err := filestate.Read(base.Root, filepath.FromSlash(name), maxFile); err == nil {
		f.contents = as.take(content)
	}
	f.cores = f.cores[:min(len(f.cores), maxSentences-s.sentences)]
	s.sentences += len(f.cores)
	s.found = append(s.found, f)
	return true
}
