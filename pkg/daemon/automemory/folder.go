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
	// lookTime limits the reading of a folder; answerTime limits how long an answer waits for it.
	lookTime   = 10 * time.Second
	answerTime = 200 * time.Millisecond
	// mostFiles is the maximum number of files that are read of a folder, mostBytes the maximum size of a file, and
	// mostFacts the maximum number of facts of a file.
	mostFiles = 1000
	mostBytes = 256 << 10
	mostFacts = 200
	// mostSettings is the maximum size of the client's settings, in bytes.
	mostSettings = 4 << 20
)

// folderOf returns the folder of the client's memory of the project at root, or "" if the user has switched that
// memory off. The worktrees of a repository share a folder. Only the user's own settings can name another folder.
func folderOf(clientDir, root string) string {
	settings := struct {
		Enabled   *bool  `json:"autoMemoryEnabled"`
		Directory string `json:"autoMemoryDirectory"`
	}{}
	if client, err := os.OpenRoot(clientDir); err == nil {
		text, err := filestate.Read(client, "settings.json", mostSettings)
		if err == nil && json.Unmarshal(text, &settings) != nil { // the client ignores invalid settings, too
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
	name string // path below the folder, with slashes
	text []byte
	at   time.Time // time of its last change
}

type listing struct {
	files []file
	named map[string]bool // names of existing files, read or not
	// isPartial is set if a file could not be read, or if there are more than mostFiles.
	isPartial bool
}

// indexFile is the file of a folder that links to the others.
const indexFile = "MEMORY.md"

// link is a link to a Markdown file.
var link = regexp.MustCompile(`(?i)\]\(([^()\s]+\.md)(?:#[^()]*)?\)`)

// list reads the index of a folder and the linked files in it. If folder and client are both missing, the listing is partial, not empty.
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
		name = path.Clean(name)
		isOurs := filepath.IsLocal(filepath.FromSlash(name)) && !strings.HasPrefix(name, "team/") // in the folder, and not shared with other people
		if isOurs && !l.named[name] {
			l.read(root, name)
		}
	}
	return l
}

// read adds a regular file to named, and to files if it is not empty or too large.
func (l *listing) read(root *os.Root, name string) {
	local := filepath.FromSlash(name)
	info, err := root.Stat(local) // fails if the link leads out of the folder or to nothing
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
