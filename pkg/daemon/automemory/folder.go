package automemory

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
)

const (
	// lookTime is how long reading a folder may take, and answerTime while an answer waits for it.
	lookTime   = 10 * time.Second
	answerTime = 200 * time.Millisecond
	// mostFiles bounds the files of a folder that are read, mostBytes each file, and mostFacts
	// the facts of one.
	mostFiles = 1000
	mostBytes = 256 << 10
	mostFacts = 200
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

// file is a file of the client's memory.
type file struct {
	name string // its path below the folder, with slashes
	text []byte
	at   time.Time // when it was modified
}

// listing is a folder as it is now.
type listing struct {
	files []file
	named map[string]bool // the files that are there, read or not
	// isPartial is set if a file could not be read, or more are named than are read.
	isPartial bool
}

// has reports whether the index names a file of the folder.
func (l listing) has(name string) bool { return l.named[name] }

// indexFile names the other files of a folder.
const indexFile = "MEMORY.md"

// link is a link to a Markdown file.
var link = regexp.MustCompile(`(?i)\]\(([^()\s]+\.md)(?:#[^()]*)?\)`)

// list reads the index of a folder, and the files in the folder that it links to. Without an index
// there are none, as long as the client's own directory is there.
func list(client, folder string) listing {
	l := listing{named: map[string]bool{}}
	root, err := os.OpenRoot(folder)
	if err != nil {
		_, clientErr := os.Stat(client)
		l.isPartial = !errors.Is(err, fs.ErrNotExist) || clientErr != nil
		return l
	}
	defer func() { _ = root.Close() }()
	l.read(root, indexFile)
	if len(l.files) == 0 {
		return l
	}
	for _, found := range link.FindAllSubmatch(l.files[0].text, -1) {
		name := string(found[1])
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		if name = path.Clean(name); !isOthers(name) && !l.named[name] {
			l.read(root, name)
		}
	}
	return l
}

// isOthers reports whether a link leads out of the folder, or to a text that other people share.
func isOthers(name string) bool {
	return !filepath.IsLocal(filepath.FromSlash(name)) || strings.HasPrefix(name, "team/")
}

// read adds a regular file, if it is a text of a size to be read.
func (l *listing) read(root *os.Root, name string) {
	local := filepath.FromSlash(name)
	info, err := root.Stat(local) // an error: it leads out, or nowhere
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	l.named[name] = true
	if len(l.files) == mostFiles {
		l.isPartial = true
		return
	}
	text, err := filestate.Read(root, local, mostBytes)
	var failed *fs.PathError
	switch {
	case err == nil:
		l.files = append(l.files, file{name, text, info.ModTime().UTC()})
	case errors.As(err, &failed):
		l.isPartial = true
	}
}
