package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

// settings looks for mistakes that the settings' own checks cannot see, too.
func (d *Doctor) settings(context.Context) {
	for _, p := range d.Problems {
		if p.Key == config.WholeFile {
			d.bad("settings.file", Error,
				"correct it there, or move the file away; until then the memory is off, and every setting has its default", "the settings' file %s %s", p.Origin, p.Message)
			continue
		}
		d.bad("settings.value", Error, "memory config set "+p.Key+" VALUE, or memory config unset "+p.Key+
			"; docs/configuration.md has them all",
			"the setting %s", p)
	}
	if d.Config.Disabled && d.Config.Unread == "" {
		d.bad("settings.disabled", Warning, "memory config unset disabled in a terminal of your own, and no MEMORY_DISABLED in the environment",
			"the memory is switched off everywhere")
	}
	file := d.Paths.ConfigFile()
	if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o077 != 0 && d.Config.Store.Pass+d.Config.Store.Token != "" {
		d.bad(checkSettingsMode, Warning, "chmod 600 "+file, "%s may be read by others, and a password may be in it", file).
			mendedBy(func(context.Context) error { return os.Chmod(file, 0o600) })
	}
	d.remote()
}

// remote looks for settings of a remote store by which others could read it.
func (d *Doctor) remote() {
	address, err := url.Parse(d.Config.Store.URL)
	if err == nil && (address.Scheme == "ws" || address.Scheme == "http") && !isLoopback(address.Hostname()) {
		d.bad("settings.unencrypted", Warning, "give the server a certificate, and store.url wss://: docs/backup.md",
			"the way to the store at %s is not encrypted: whoever is on it reads the password and the memories", address.Host)
	}
}

func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// The free space under which the store may soon not be written to. An engine
// writes and rewrites tens of megabytes at a time.
const (
	littleSpace = 1 << 30
	noSpace     = 128 << 20
)

func (d *Doctor) files(context.Context) {
	home := d.Paths.Home
	info, err := os.Stat(home)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.writable("home.writable", nearest(home), fmt.Sprintf("the home %s is not there yet, and cannot be made", home))
		d.space(filepath.Dir(home))
		return
	case err != nil:
		d.bad("home", Error, "make it readable, or set MEMORY_HOME", "the home cannot be read: %v", err)
		return
	case !info.IsDir():
		d.bad("home", Error, "move the file away, or set MEMORY_HOME", "the home %s is no directory", home)
		return
	case info.Mode().Perm()&0o077 != 0:
		d.bad(checkHomeMode, Warning, "chmod 700 "+home, "the home %s is open to others", home).
			mendedBy(func(context.Context) error { return os.Chmod(home, 0o700) })
	}
	d.writable("home.writable", home, "the home cannot be written")
	d.archives()
	d.folders()
	d.space(home)
}

// folders checks whether other users can read the data of a local engine, or write to
// it or to the home.
func (d *Doctor) folders() {
	data := d.Paths.Data()
	if info, err := os.Stat(data); err == nil && !private.IsShut(info) {
		d.bad(checkDataMode, Error, "chmod 700 "+data, "%s, which holds memories, is open to others (mode %04o)",
			data, info.Mode().Perm()).
			mendedBy(func(context.Context) error { return private.Take(data) })
	}
	for _, dir := range []string{d.Paths.Home, data} {
		if err := private.Reachable(dir); err != nil {
			d.bad("files.trust", Error, "do what the message says; until then nothing is read from there nor written", "%v", err)
			break
		}
	}
}

func (d *Doctor) space(dir string) {
	dir = nearest(dir)
	free, err := d.FreeBytes(dir)
	switch {
	case err != nil:
		d.bad("disk.space", Warning, "look with df -h", "the free space of %s is unknown: %v", dir, err)
	case free < noSpace:
		d.bad("disk.space", Error, "make room: the store needs it to write", "only %d MB are free at %s", free>>20, dir)
	case free < littleSpace:
		d.bad("disk.space", Warning, "make room soon", "%d MB are free at %s", free>>20, dir)
	}
}
