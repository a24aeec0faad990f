package presence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

// findings are the result of a look at a checkout.
type findings struct {
	isGone bool // there is no such folder any more
	// names has the finding of each name; nil: there is none.
	names map[string]finding
}

// finding is the state of a name in a checkout.
type finding int

const (
	unknown    finding = iota
	there              // at its own path, or as a command
	listed             // elsewhere: git's index has a path that ends so
	absentHere         // not at its own path; whether elsewhere is not known
	absent
)

// tree is a checkout, with the paths of the names that git's index had. It is used by one
// look at a time.
type tree struct {
	root    string
	index   fs.FileInfo // of the index that was read last; nil: none was
	asked   map[string]bool
	found   map[string][]indexed
	isWhole bool // the index had the paths of all files
}

// look looks for names.
func (t *tree) look(names map[string]bool) findings {
	dir, err := os.OpenRoot(t.root)
	if err != nil {
		return findings{isGone: errors.Is(err, fs.ErrNotExist)}
	}
	defer func() { _ = dir.Close() }()
	git := project.GitDir(t.root)
	if t.isUnsettled(dir, git) {
		return findings{}
	}
	f := findings{names: make(map[string]finding, len(names))}
	var missing []string
	defined := map[string]string{}
	for name := range names {
		switch {
		case strings.Contains(name, " "):
			f.names[name] = command(dir, name, defined)
		case exists(dir, strings.TrimSuffix(name, "/")) == unknown:
			f.names[name] = unknown
		case exists(dir, strings.TrimSuffix(name, "/")) == there:
			f.names[name] = there
		default:
			f.names[name] = absentHere
			missing = append(missing, name)
		}
	}
	if git == "" || len(missing) == 0 {
		return f
	}
	t.readIndex(filepath.Join(git, "index"), missing)
	for _, name := range missing {
		f.names[name] = t.elsewhere(dir, name)
	}
	return f
}

// isUnsettled reports whether git is changing the checkout, or nothing is in it: the volume that it
// lies on may be gone.
func (t *tree) isUnsettled(dir *os.Root, git string) bool {
	if git != "" {
		_, err := os.Lstat(filepath.Join(git, "index.lock"))
		return err == nil
	}
	top, err := dir.Open(".")
	if err != nil {
		return true
	}
	defer func() { _ = top.Close() }()
	_, err = top.Readdirnames(1)
	return err != nil
}

// exists reports whether a path below a checkout exists.
func exists(dir *os.Root, name string) finding {
	_, err := dir.Lstat(filepath.FromSlash(name))
	switch {
	case err == nil:
		return there
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return absent
	}
	return unknown
}

// elsewhere is the state of a name that is not at its own path: a part of a path is there if one of
// the files ends with it.
func (t *tree) elsewhere(dir *os.Root, name string) finding {
	if !isPart(name) {
		return absent
	}
	for _, one := range t.found[name] {
		if one.isSkipped || exists(dir, one.path) == there {
			return listed
		}
	}
	if !t.isWhole || len(t.found[name]) == mostPaths {
		return absentHere
	}
	return absent
}

// isPart reports whether a name may be a part of a path: one word without an ending is too often
// another thing.
func isPart(name string) bool {
	name = strings.TrimSuffix(name, "/")
	return strings.Contains(name, "/") || path.Ext(name) != "" && path.Ext(name) != name
}

// mostPaths is how many paths of a name are looked at.
const mostPaths = 64

// readIndex reads the paths of names from git's index, unless that is as it was when they
// were read last.
func (t *tree) readIndex(file string, names []string) {
	info, err := os.Stat(file)
	if err != nil {
		t.index, t.found, t.isWhole = nil, nil, false
		return
	}
	isCached := t.index != nil && t.index.Size() == info.Size() && t.index.ModTime().Equal(info.ModTime())
	for _, name := range names {
		isCached = isCached && t.asked[name]
	}
	if isCached {
		return
	}
	t.index, t.asked, t.found = info, map[string]bool{}, map[string][]indexed{}
	ends := map[string][]string{} // the names by their last part
	for _, name := range names {
		t.asked[name] = true
		if isPart(name) {
			last := path.Base(name)
			ends[last] = append(ends[last], name)
		}
	}
	folder := ""
	note := func(where string, one indexed) {
		for _, name := range ends[path.Base(where)] {
			found := t.found[name]
			if part := strings.TrimSuffix(name, "/"); (where == part || strings.HasSuffix(where, "/"+part)) &&
				len(found) < mostPaths {
				t.found[name] = append(found, one)
			}
		}
	}
	t.isWhole = eachIndexed(file, func(one indexed) {
		note(one.path, one)
		if in := path.Dir(one.path); in != folder { // the paths are in order
			folder = in
			for ; in != "."; in = path.Dir(in) {
				note(in, indexed{in, one.isSkipped})
			}
		}
	}) == nil
}

// definitions are the files at the top of a checkout that define commands, by the program
// that runs them.
var definitions = map[string][]string{
	"make": {"Makefile", "makefile", "GNUmakefile"}, "just": {"justfile", "Justfile", ".justfile"},
	"task":     {"Taskfile.yml", "Taskfile.yaml"},
	"mise run": {"mise.toml", ".mise.toml"}, "npm run": {"package.json"}, "pnpm run": {"package.json"},
	"yarn run": {"package.json"}, "bun run": {"package.json"},
}

// maxDefinitions is the most bytes of such a file.
const maxDefinitions = 1 << 20

// command reports whether a file at the top of the checkout defines a command. The texts of the
// files are cached in defined.
func command(dir *os.Root, name string, defined map[string]string) finding {
	at := strings.LastIndexByte(name, ' ')
	runner, target := name[:at], name[at+1:]
	// A rule, a key of JSON, YAML or TOML, or a table of tasks.
	rule := regexp.MustCompile(fmt.Sprintf(`(?m)^\s*(\[tasks\.)?"?%s"?(\]\s*$|\s*=|[^\n"=]*:)`, regexp.QuoteMeta(target)))
	for _, file := range definitions[runner] {
		text, isRead := defined[file]
		if !isRead {
			content, err := filestate.Read(dir, file, maxDefinitions)
			if err != nil && exists(dir, file) != absent {
				return unknown
			}
			text = string(content)
			defined[file] = text
		}
		if rule.MatchString(text) {
			return there
		}
	}
	return absent
}
