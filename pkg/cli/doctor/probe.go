package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"
)

// isLocked reports whether a daemon or a migration uses the home.
func (d *Doctor) isLocked() bool {
	if !exists(d.Paths.Lock()) {
		return false
	}
	lock := flock.New(d.Paths.Lock())
	free, err := lock.TryRLock()
	if err != nil || !free {
		return true
	}
	_ = lock.Unlock()
	return false
}

// nearest returns the path, or else the nearest existing folder above it.
func nearest(path string) string {
	for !exists(path) && path != filepath.Dir(path) {
		path = filepath.Dir(path)
	}
	return path
}

// writable adds a finding if no file can be written in dir and removed again. The finding begins with the text in what.
func (d *Doctor) writable(dir, what string) {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err == nil {
		_, err = f.Write(make([]byte, 4<<10)) // an empty file can be made on a full disk
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	switch {
	case err == nil:
	case errors.Is(err, syscall.EROFS): // owner and mode are not the reason
		d.bad("home", Error, "mount it writable, or set MEMORY_HOME. In a client's Bash tool its sandbox may be the reason: allow writing there, or run memory doctor in your own terminal",
			"%s: this shell sees %s read-only: %v", what, dir, err)
	case errors.Is(err, syscall.ENOSPC):
		d.bad("home", Error, "free space there, or set MEMORY_HOME", "%s: the disk of %s is full", what, dir)
	default:
		d.bad("home", Error, "give it back to your user: chown -R \"$USER\" "+dir+"; chmod -R u+rwX "+dir, "%s: %v", what, err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
