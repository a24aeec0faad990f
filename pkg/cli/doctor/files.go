package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

// settings adds findings for the problems of the settings, and for a memory that is switched off everywhere.
func (d *Doctor) settings(context.Context) {
	for _, p := range d.Problems {
		if p.Key == config.WholeFile {
			d.bad("settings.value", Error,
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
}

// Below these bytes of free space the store may soon fail to write. An engine writes and rewrites tens of megabytes at a
// time.
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
		d.bad("home.writable", Error, "make it readable, or set MEMORY_HOME", "the home cannot be read: %v", err)
		return
	case !info.IsDir():
		d.bad("home.writable", Error, "move the file away, or set MEMORY_HOME", "the home %s is no directory", home)
		return
	}
	d.writable("home.writable", home, "the home cannot be written")
	d.folders()
	d.space(home)
}

// folders checks whether other users can write to the home, or to the data of a local engine. The daemon denies them reading
// too, each time it starts.
func (d *Doctor) folders() {
	for _, dir := range []string{d.Paths.Home, d.Paths.Data()} {
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
