// Package filestate reads regular files below a folder. It never waits for a pipe, a file of the
// kernel or a file system that hangs.
package filestate

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// folder is an open folder, such as an *os.Root.
type folder interface {
	Stat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
}

// IsProject reports whether a folder may be a project: a folder directly below the root of the file
// system may not, as it may be a device.
func IsProject(root string) bool { return filepath.IsAbs(root) && filepath.Dir(root) != root }

var errUnread = errors.New("not a text of a size to be read")

// Read returns the text of a regular file below dir. It fails if the file is larger than most
// bytes, or has no size: it is empty then, or a file of the kernel's, such as /proc/kmsg, where a
// read may wait for ever. It does not wait for a pipe.
func Read(dir folder, local string, most int64) ([]byte, error) {
	if info, err := dir.Stat(local); err != nil || info.Size() == 0 || info.Size() > most {
		return nil, errors.Join(err, errUnread)
	}
	// Without blocking, because the file may have been replaced by a pipe.
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
