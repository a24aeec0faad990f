package instructions

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
)

const (
	// maxFile is the maximum size of a file that is read, in bytes.
	maxFile = 256 << 10
	// maxSentences is the maximum number of sentences read for one place.
	maxSentences = 2000
)

// place is where a session works; client is empty for Claude Code.
type place struct{ root, settings, client string }

// file is a file that the client loads, as it was read.
type file struct {
	path     string // absolute
	name     string // relative to the project, or absolute, for people
	size     int64
	modified time.Time
	contents
}

func (f file) isSame(other file) bool {
	return f.path == other.path && f.size == other.size && f.modified.Equal(other.modified)
}

// The names that Claude Code looks for at the project's root. It loads the files of other agents only if the project
// has no CLAUDE.md, or if one includes them. Codex loads agentsFile only.
var (
	ownNames   = []string{"CLAUDE.md", "CLAUDE.local.md", filepath.FromSlash(".claude/CLAUDE.md")}
	otherNames = []string{agentsFile, filepath.FromSlash(".claude/AGENTS.md")}
)

// scan returns the files that the client loads in a place. It takes unchanged files from before.
func scan(where place, before []file) []file {
	s := scanner{before: map[string]file{}}
	for _, f := range before {
		s.before[f.path] = f
	}
	if where.client != "" {
		s.in(where.root, false, agentsFile)
		return s.found
	}
	s.in(where.root, false, ownNames...)
	if len(s.found) == 0 || slices.ContainsFunc(s.found, func(f file) bool { return f.includesAgents }) {
		s.in(where.root, false, otherNames...)
	}
	if filepath.IsAbs(where.settings) {
		s.in(where.settings, true, "CLAUDE.md", importer.MemoryFile(project.MainRoot(where.root)))
	}
	return s.found
}

// scanner collects the files of one scan.
type scanner struct {
	before    map[string]file // by path
	found     []file
	sentences int
}

// in adds regular files of a folder, following no link out of it. The client's files (isClients) are named by their whole paths.
func (s *scanner) in(dir string, isClients bool, names ...string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	for _, name := range names {
		info, err := root.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		f := file{path: filepath.Join(dir, name), name: filepath.ToSlash(name), size: info.Size(), modified: info.ModTime()}
		if isClients {
			f.name = f.path
		}
		if old, held := s.before[f.path]; held && old.isSame(f) {
			f = old
		} else if content, err := filestate.Read(root, name, maxFile); err == nil {
			f.contents = contentsOf(content, filepath.Base(name) == "MEMORY.md")
		}
		f.cores = f.cores[:min(len(f.cores), maxSentences-s.sentences)]
		s.sentences += len(f.cores)
		s.found = append(s.found, f)
	}
}
