package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

// settings adds findings for problems with the settings, and if memory is switched off everywhere.
func (d *Doctor) settings(context.Context) {
	for _, p := range d.Problems {
		remedy := "memory config set " + p.Key + " VALUE, or memory config unset " + p.Key + "; docs/configuration.md lists all settings"
		switch {
		case p.Key == config.WholeFile:
			remedy = "correct the file, or move it away; until then the memory is off, and every setting has its default"
		case p.Message == config.ErrNoSetting.Error(): // memory config refuses such a key
			remedy = "correct the key in the file, or delete it there"
		}
		d.bad("settings", Error, remedy, "%s", p)
	}
	if d.Config.Disabled && d.Config.Unread == "" {
		d.bad("settings", Warning, "run memory config unset disabled in a terminal of your own, and unset MEMORY_DISABLED",
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
