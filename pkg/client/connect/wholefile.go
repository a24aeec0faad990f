package connect

import (
	"bytes"
	"errors"
)

// wholeFile is a file of ours alone in a folder that a client looks into.
type wholeFile struct{ content []byte }

func (f wholeFile) add(content []byte) ([]byte, error) {
	if _, err := f.remove(content); err != nil {
		return nil, err
	}
	return f.content, nil
}

func (f wholeFile) remove(content []byte) ([]byte, error) {
	if len(content) > 0 && !f.isOurs(content) {
		return nil, errors.New("it is there already and not ours: rename it")
	}
	return nil, nil
}

func (f wholeFile) has(content []byte) (bool, error) { return bytes.Equal(content, f.content), nil }

// isOurs tells one that any version has written: it calls the launcher.
func (wholeFile) isOurs(content []byte) bool { return bytes.Contains(content, []byte("/clients/run")) }
