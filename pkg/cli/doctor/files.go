package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

// settings adds findings for problems with the settings, and if memory is switched off everywhere.
func (d *Doctor) settings(context.Context) {
	for _, p := range d.Problems {
		remedy := "memory config set " + p.Key + " VALUE, or memory config unset " + p.Key + "; memory config list lists all settings"
		switch {
		case p.Key == config.WholeFile:
			remedy = "correct the file, or move it away; until then the memory is off, and every setting has its default"
		case p.Message == config.ErrNoSetting.Error(): // memory config refuses such a key
			remedy = "correct the key in the file, or delete it there"
		}
		d.bad("settings", Error, remedy, "%s", p)
	}
	if d.Config.Disabled && d.Config.Unread == "" {
		d.bad("settings", Warning, "run memory config unset disabled in a terminal of your own; if the variable MEMORY_DISABLED is set, unset it, too",
			"the memory is switched off everywhere")
	}
}

// home adds findings if the home cannot be written, or if other users can write there or to the data of a local engine.
func (d *Doctor) home(context.Context) {
	home := d.Paths.Home
	info, err := os.Stat(home)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.writable(nearest(home), fmt.Sprintf("the home %s does not exist, and cannot be created", home))
		return
	case err != nil:
		d.bad("home", Error, "make the home readable, or set MEMORY_HOME", "the home cannot be read: %v", err)
		return
	case !info.IsDir():
		d.bad("home", Error, "move the file away, or set MEMORY_HOME", "the home %s is not a directory", home)
		return
	}
	d.writable(home, "the home cannot be written")
	// The daemon also removes the read access of other users when it starts.
	for _, dir := range []string{d.Paths.Home, d.Paths.Data()} {
		if err := private.Reachable(dir); err != nil {
			d.unsafe("home", err, "; until then nothing is read from the folder or written to it")
			d.isUnsafe = true
			return
		}
	}
}

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
		d.bad("home", Error, "mount it writable, or set MEMORY_HOME. If a client started this shell, its sandbox may forbid writing: allow it, or run memory doctor in your own terminal",
			"%s: this shell sees %s read-only", what, dir)
	case errors.Is(err, syscall.ENOSPC):
		d.bad("home", Error, "free space there, or set MEMORY_HOME", "%s: the disk of %s is full", what, dir)
	case dir != d.Paths.Home: // the folder above, which may be the system's
		d.bad("home", Error, "set MEMORY_HOME to a folder below one that you may write to", "%s: you may not write to %s", what, dir)
	default:
		d.bad("home", Error, "give it back to your user: chown -R \"$USER\" "+dir+"; chmod -R u+rwX "+dir, "%s: %v", what, err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
