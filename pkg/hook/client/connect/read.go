package connect

import (
	"fmt"
	"os"
)

// mostBytes is the size limit of a settings file, larger than any real file.
const mostBytes = 16 << 20

// read returns the content of a regular file of at most mostBytes. Anything else, such as a pipe, is an error, because
// reading could block forever. A missing file is fs.ErrNotExist.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file (%s): replace it by a file", path, info.Mode().Type())
	case info.Size() > mostBytes:
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that settings may have", path, info.Size(), mostBytes)
	}
	return os.ReadFile(path)
}
