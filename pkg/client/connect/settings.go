package connect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/settings"
)

// StatusLine is Claude Code's setting for its status line.
type StatusLine struct {
	Path string // of its settings
}

const statusLine = "statusLine"

// StatusLineOf is the setting in the client's directory.
func StatusLineOf(clientDir string) StatusLine {
	return StatusLine{filepath.Join(clientDir, "settings.json")}
}

// Read returns its value; nil if it is not there, nor the file.
func (s StatusLine) Read() (json.RawMessage, error) {
	content, err := settings.Read(s.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	root, err := settings.ParseObject(content)
	if err != nil {
		return nil, fmt.Errorf("%s is not a JSON object: %w", s.Path, err)
	}
	return root.Get(statusLine), nil
}

// Write sets the value, or removes it if it is nil. All else in the file stays as it is written, and the file keeps its
// permissions.
func (s StatusLine) Write(value json.RawMessage) error {
	if _, err := s.Read(); err != nil {
		return err
	}
	one, err := file{path: s.Path}.now()
	if err != nil && (value == nil || !errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	var page []byte
	if value == nil {
		page, err = settings.Cut(one.old, statusLine)
	} else {
		page, err = settings.Set(one.old, statusLine, value)
	}
	if err != nil {
		return err
	}
	return one.write(page)
}

// Runs reports whether the setting exists, and whether it runs a program.
func (s StatusLine) Runs(program string) (isThere, isIt bool, err error) {
	value, err := s.Read()
	if err != nil || value == nil {
		return false, false, err
	}
	var line struct{ Command string }
	return true, json.Unmarshal(value, &line) == nil && strings.Contains(filepath.Base(line.Command), filepath.Base(program)), nil
}
