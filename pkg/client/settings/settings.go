// Package settings adds parts of ours to the files in which clients keep their settings, and takes them out again.
// Contents go in and come out: a part that is not understood is an error, and the rest of a file stays as it is.
package settings

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

// Part is a part of a file that is added and taken out again.
type Part interface {
	Add(content []byte) ([]byte, error)
	Remove(content []byte) ([]byte, error)
	Has(content []byte) (bool, error) // all of the part
}

// Parts are several of one file.
type Parts []Part

// Add implements Part.
func (all Parts) Add(content []byte) (_ []byte, err error) {
	for _, one := range all {
		if content, err = one.Add(content); err != nil {
			return nil, err
		}
	}
	return content, nil
}

// Remove implements Part.
func (all Parts) Remove(content []byte) (_ []byte, err error) {
	for _, one := range all {
		if content, err = one.Remove(content); err != nil {
			return nil, err
		}
	}
	return content, nil
}

// Has implements Part.
func (all Parts) Has(content []byte) (bool, error) {
	for _, one := range all {
		if has, err := one.Has(content); err != nil || !has {
			return false, err
		}
	}
	return true, nil
}

// Whole is a file of ours alone in a folder that a client looks into.
type Whole struct {
	Content []byte
	Mark    string // stands in the file of any version
}

// Add implements Part.
func (w Whole) Add(content []byte) ([]byte, error) {
	if _, err := w.Remove(content); err != nil {
		return nil, err
	}
	return w.Content, nil
}

// Remove implements Part.
func (w Whole) Remove(content []byte) ([]byte, error) {
	if len(content) > 0 && !bytes.Contains(content, []byte(w.Mark)) {
		return nil, errors.New("it is there already and not ours: rename it")
	}
	return nil, nil
}

// Has implements Part.
func (w Whole) Has(content []byte) (bool, error) { return bytes.Equal(content, w.Content), nil }

// mostBytes is more than any client's settings have.
const mostBytes = 16 << 20

// Read reads a client's file. Anything other than a file, such as a pipe, is an error, because reading could block for
// ever. fs.ErrNotExist if there is none.
func Read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file (%s): put a file in its place", path, info.Mode().Type())
	case info.Size() > mostBytes:
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that settings may have", path, info.Size(), mostBytes)
	}
	return os.ReadFile(path)
}
