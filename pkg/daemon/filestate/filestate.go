// Package filestate reads regular files below a folder. It waits for no pipe, for no file of the kernel
// and for no file system that hangs.
package filestate

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// folder is a root that is open, as an *os.Root is.
type folder interface {
	Stat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
}

// IsProject reports whether a folder may be a project: folders directly below the root of the file
// system are no projects, and may be devices.
func IsProject(root string) bool { return filepath.IsAbs(root) && filepath.Dir(root) != root }

var errUnread = errors.New("not a text of a size to be read")

// Read returns the text of a regular file below dir, of at most so many bytes. One without
// a size is not opened: it has nothing, or is one of the kernel's, which may wait for ever
// (/proc/kmsg). It does not wait for a pipe.
func Read(dir folder, local string, most int64) ([]byte, error) {
	if info, err := dir.Stat(local); err != nil || info.Size() == 0 || info.Size() > most {
		return nil, errors.Join(err, errUnread)
	}
	// Not blocking: the file may have been replaced by a pipe.
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
