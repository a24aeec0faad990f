// Package settings adds entries of ours to the files in which Claude Code and Codex keep their settings, and takes them
// out again. Contents go in and come out: a part that is not understood is an error, and the rest of a file stays as it is.
package settings

import (
	"fmt"
	"os"
)

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
