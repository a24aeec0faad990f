package automemory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
)

// version is that of how facts are made of files: those of another version are read again.
const version = 1

// record has the files that were read.
type record struct {
	Version  int                            `json:"version"`
	Projects map[string]map[string]*reading `json:"projects"` // by key of the project, and folder

	written []byte // as it is in the file
}

// reading is a folder as it was read last, for one project.
type reading struct {
	// Roots are those at which the client works on the project and loads the folder, the one
	// used last at the end.
	Roots []string        `json:"roots"`
	Files map[string]file `json:"files"` // by path below the folder, with slashes
}

// file is one that was read.
type file struct {
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Facts    []string  `json:"facts,omitempty"` // ids
}

// mostRoots bounds the roots of a folder, those used last: a worktree may be of one session.
const mostRoots = 64

// load reads a record. A damaged one counts as none: facts whose file went meanwhile then stay
// until a person forgets them.
func load(name string, log *slog.Logger) record {
	none := record{Version: version, Projects: map[string]map[string]*reading{}}
	if name == "" {
		return none
	}
	r := record{}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return none
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil || r.Projects == nil {
		log.Warn("the record of the client's memory cannot be read and is made anew", "file", name, "error", err)
		return none
	}
	for _, folders := range r.Projects {
		maps.DeleteFunc(folders, func(_ string, one *reading) bool { return one == nil })
		for _, one := range folders {
			if r.Version != version {
				one.forgetStates()
			}
		}
	}
	r.Version = version
	return r
}

// forgetStates has each file read again, and keeps which facts it had.
func (r *reading) forgetStates() {
	for name, f := range r.Files {
		f.Size = -1
		r.Files[name] = f
	}
}

// of is the last reading of a folder; empty if there was none.
func (r *record) of(project, folder string) reading {
	if one := r.Projects[project][folder]; one != nil {
		return *one
	}
	return reading{}
}

// leave notes that the client loads nothing by itself at a root.
func (r *record) leave(root string) {
	for _, folders := range r.Projects {
		for _, one := range folders {
			one.Roots = slices.DeleteFunc(slices.Clone(one.Roots), func(other string) bool { return other == root })
		}
	}
}

// set records a reading for the root at which it was made.
func (r *record) set(project, folder, root string, now reading) {
	r.leave(root)
	if r.Projects[project] == nil {
		r.Projects[project] = map[string]*reading{}
	}
	now.Roots = append(slices.DeleteFunc(slices.Clone(now.Roots), func(other string) bool { return other == root }), root)
	now.Roots = now.Roots[max(0, len(now.Roots)-mostRoots):]
	r.Projects[project][folder] = &now
}

// elsewhere are the facts of a project in its other folders.
func (r *record) elsewhere(project, folder string) map[string]bool {
	facts := map[string]bool{}
	for other, one := range r.Projects[project] {
		if other != folder {
			for id := range one.facts() {
				facts[id] = true
			}
		}
	}
	return facts
}

// held are the files of the facts that the client loads by itself, by root and id.
func (r *record) held() map[string]map[string]string {
	held := map[string]map[string]string{}
	for _, folders := range r.Projects {
		for folder, one := range folders {
			facts := one.facts()
			for id, name := range facts {
				facts[id] = filepath.Join(folder, filepath.FromSlash(name))
			}
			for _, root := range one.Roots {
				held[root] = facts
			}
		}
	}
	return held
}

// facts are the files of the facts, by id.
func (r reading) facts() map[string]string {
	facts := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		for _, id := range r.Files[name].Facts {
			if facts[id] == "" {
				facts[id] = name
			}
		}
	}
	return facts
}

// reason explains why a fact of a file is archived.
func (r reading) reason(name string) string {
	now, isThere := r.Files[name]
	switch {
	case !isThere:
		return name + " is gone from the client's memory"
	case len(now.Facts) == 1:
		return name + " of the client's memory has changed; " + now.Facts[0] + " replaces it"
	default:
		return name + " of the client's memory has it no more"
	}
}

func (r *record) save(name string) error {
	if name == "" {
		return nil
	}
	data, err := json.Marshal(r)
	if err == nil && bytes.Equal(data, r.written) {
		return nil
	}
	if err == nil {
		err = atomicfile.Write(name, 0o600, data)
	}
	if err != nil {
		return fmt.Errorf("record the client's memory: %w", err)
	}
	r.written = data
	return nil
}
