package plugintest

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// programMode lets everybody run a program, because a test may start it as another user.
const programMode fs.FileMode = 0o755

// WriteProgram writes a program for a test to run. While the file is open for writing this process starts no other
// program, which would inherit the open file until its own exec. The system refuses to run a file that is open for
// writing ("text file busy", go.dev/issue/22315).
func WriteProgram(file string, content []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(file, content, programMode); err != nil {
		return err
	}
	return os.Chmod(file, programMode) // an existing file has kept its mode
}

// CopyPrograms copies the files of a directory tree as programs.
func CopyPrograms(to, from string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), programMode)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return WriteProgram(filepath.Join(to, name), content)
	})
}
