// Package filestate reads regular files below a folder. It never blocks on a pipe, a file of the kernel, or a file
// system that hangs.
package filestate

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// IsProject reports whether a folder may be a project. The root of the file system is not one, because devices are
// below it.
func IsProject(root string) bool { return filepath.IsAbs(root) && filepath.Dir(root) != root }

var errUnread = errors.New("it is empty, too large, or not a regular file")

// Read returns the content of a regular file below dir. It fails if the file is larger than most bytes, or if its
// size is 0: then it is empty, or a file of the kernel, such as /proc/kmsg, whose read may never end.
func Read(dir *os.Root, local string, most int64) ([]byte, error) {
	if info, err := dir.Stat(local); err != nil || info.Size() == 0 || info.Size() > most {
		return nil, errors.Join(err, errUnread)
	}
	// Non-blocking, because the file may have been replaced by a pipe.
	file, err := dir.OpenFile(local, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil, errors.Join(err, errUnread)
	}
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = errUnread
	}
	return text, err
}
