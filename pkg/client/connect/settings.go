package connect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/settings"
)

// Setting is a member of the JSON object that a file of settings is.
type Setting struct{ Path, Key string }

// Read returns its value; nil if it is not there, nor the file.
func (s Setting) Read() (json.RawMessage, error) {
	root, _, err := s.parse()
	return root.Get(s.Key), err
}

// Write gives it a value, or takes it out if that is nil. The other members keep their places, and the file its rights.
func (s Setting) Write(value json.RawMessage) error {
	root, content, err := s.parse()
	if err != nil {
		return err
	}
	if value == nil {
		root = root.Without(s.Key)
	} else {
		root = root.With(s.Key, value)
	}
	one := change{Path: s.Path, Mode: 0o600, old: content}
	if info, err := os.Stat(s.Path); err == nil {
		one.Mode = info.Mode().Perm()
	}
	page, err := root.Page()
	if err == nil {
		err = one.write(page)
	}
	return err
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
