package connect

import (
	"fmt"
	"os"
)

// mostBytes is more than any client's settings have.
const mostBytes = 16 << 20

// readFile reads a client's file. What is no file, such as a pipe, is an error: reading it could wait for ever.
// fs.ErrNotExist if there is none.
func readFile(path string) ([]byte, error) {
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
