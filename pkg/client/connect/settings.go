package connect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/settings"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// Setting is a member of the JSON object that a file of settings is.
type Setting struct {
	Path, Key string
	Before    string // the file that keeps how the one at Path was; empty: none
}

// Read returns its value; nil if it is not there, nor the file.
func (s Setting) Read() (json.RawMessage, error) {
	root, _, err := s.parse()
	return root.Get(s.Key), err
}

// Write sets the value, or removes it if it is nil. The other members stay as they are, and the file keeps its
// permissions. If nobody has changed the file since the value was set, it becomes the same as before, to the byte.
func (s Setting) Write(value json.RawMessage) error {
	_, content, err := s.parse()
	if err != nil {
		return err
	}
	one := change{Path: s.Path, Mode: 0o600, old: content}
	if info, err := os.Stat(s.Path); err == nil {
		one.Mode = info.Mode().Perm()
	}
	if value == nil {
		return s.takeOut(one)
	}
	page, err := settings.Set(content, s.Key, value)
	if err != nil {
		return err
	}
	was := written{Is: string(page)}
	if content != nil {
		was.Was = new(string(content))
	}
	if err = s.note(was); err == nil {
		err = one.write(page)
	}
	return err
}

// written is how a file was before it was given a value, nil if it was not there, and after it.
type written struct {
	Was *string `json:"was"`
	Is  string  `json:"is"`
}

func (s Setting) note(w written) error {
	if s.Before == "" {
		return nil
	}
	err := os.MkdirAll(filepath.Dir(s.Before), 0o700)
	if err == nil {
		err = atomicfile.Write(s.Before, 0o600, settings.Raw(w))
	}
	return err
}

func (s Setting) takeOut(one change) error {
	var last written
	if text, err := os.ReadFile(s.Before); err == nil && json.Unmarshal(text, &last) == nil && last.Is == string(one.old) {
		if last.Was == nil {
			return os.Remove(s.Path)
		}
		return one.write([]byte(*last.Was))
	}
	page, err := settings.Cut(one.old, s.Key)
	if err == nil {
		err = one.write(page)
	}
	return err
}

// StatusLine is Claude Code's setting for its status line.
func StatusLine(clientDir string, home paths.Layout) Setting {
	return Setting{
		Path: filepath.Join(clientDir, "settings.json"), Key: "statusLine",
		Before: filepath.Join(home.Clients(), "statusline.json"),
	}
}

// Runs reports whether the setting exists, and whether it runs a program.
func (s Setting) Runs(program string) (isThere, isIt bool, err error) {
	value, err := s.Read()
	if err != nil || value == nil {
		return false, false, err
	}
	var line struct{ Command string }
	return true, json.Unmarshal(value, &line) == nil && strings.Contains(filepath.Base(line.Command), filepath.Base(program)), nil
}

func (s Setting) parse() (settings.Object, []byte, error) {
	content, err := settings.Read(s.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	root, err := settings.ParseObject(content)
	if err != nil {
		return nil, nil, fmt.Errorf("%s is not a JSON object: %w", s.Path, err)
	}
	return root, content, nil
}
