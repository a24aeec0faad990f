package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// stateVersion is the version of the state file.
const stateVersion = 1

// State is the record of earlier imports.
type State struct {
	Version int `json:"version"`
	// Files are the imported transcripts.
	Files map[string]FileState `json:"files,omitempty"`

	// IsPurged reports whether the name of a file is not to be recorded; nil for none.
	IsPurged func(file string) bool `json:"-"`

	file string
}

// LoadState reads the state from a file. A missing file gives an empty state.
func LoadState(file string) (*State, error) {
	s := &State{Version: stateVersion, file: file}
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the state of imports: %w", err)
	}
	if err == nil {
		if err := json.Unmarshal(data, s); err != nil {
			return nil, fmt.Errorf("read the state of imports: %w; delete %s to import all transcripts again, which stores nothing twice", err, file)
		}
	}
	if s.Version > stateVersion {
		return nil, fmt.Errorf("%s has version %d, but this program supports %d: update surrealdb-memory", file,
			s.Version, stateVersion)
	}
	if s.Files == nil {
		s.Files = map[string]FileState{}
	}
	return s, nil
}

// Forget removes the records of a project, so that its transcripts are read as if for the first time. keyOf returns the
// project of a directory.
func (s *State) Forget(key string, keyOf func(dir string) string) {
	maps.DeleteFunc(s.Files, func(file string, _ FileState) bool {
		dir := startOf(file)
		return dir != "" && keyOf(dir) == key
	})
}

// startOf returns the directory in which a transcript's session was started, or "".
func startOf(file string) string {
	if t := (Transcript{File: file}); t.format().Client != "" && t.ReadHead() == nil {
		return t.Dir
	}
	return DirOfFolder(filepath.Dir(file))
}

// Save writes the state atomically, without the files whose names were purged.
func (s *State) Save() error {
	maps.DeleteFunc(s.Files, func(file string, _ FileState) bool { return s.IsPurged != nil && s.IsPurged(file) })
	data, err := json.Marshal(s)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(s.file), 0o700)
	}
	if err == nil {
		err = atomicfile.Write(s.file, 0o600, data)
	}
	if err != nil {
		return fmt.Errorf("write the state of imports: %w", err)
	}
	return nil
}
