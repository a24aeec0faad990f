package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/launcher"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// links adds findings for dead links on the PATH and dead launchers: everything outside the plugin that leads to its
// programs. The client deletes the folder of an old version after an update.
func (d *Doctor) links(context.Context) {
	d.launchers()
	d.linksOnPath()
}

// leadsNowhere returns the reason why a link to program is dead or soon will be, or "".
func (d *Doctor) leadsNowhere(program string) (why string, how Severity) {
	switch _, err := os.Stat(program); {
	case errors.Is(err, fs.ErrNotExist):
		return "which is gone", Error
	case err != nil:
		return fmt.Sprintf("which cannot be read: %v", err), Error
	case runtime.GOOS != "windows" && launcher.IsOfVersion(d.Paths, program): // Windows has no launchers
		return "in the folder of one version, which the client deletes after an update", Warning
	}
	return "", Info
}

// launchers adds a finding for launchers whose plugin is gone.
func (d *Doctor) launchers() {
	for _, file := range []string{filepath.Join(d.Paths.Bin(), "memory"), d.Paths.Launcher()} {
		plugin, err := launcher.Plugin(file)
		if err != nil || plugin == "" || exists(plugin) {
			continue
		}
		d.bad("links", Warning, "", "%s runs the programs in %s, which is gone", file, plugin).fixedBy(d.relaunch)
		return // one repair covers both launchers
	}
}

func (d *Doctor) relaunch(context.Context) error {
	return launcher.Refresh(d.Paths, paths.InstalledRoot(d.Executable))
}

// linksOnPath adds findings for dead links to our programs in the directories of PATH, and in those where memory
// setup link creates links.
func (d *Doctor) linksOnPath() {
	dirs := append(filepath.SplitList(d.Getenv("PATH")), launcher.LinkDirs(d.Getenv)...)
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		link := filepath.Join(dir, "memory")
		if !launcher.IsLink(link, filepath.Join(d.Paths.Bin(), "memory")) {
			continue
		}
		target, err := os.Readlink(link)
		if err != nil {
			continue // the link has just been removed
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(dir, target)
		}
		why, how := d.leadsNowhere(target)
		if how == Info {
			continue
		}
		found := d.bad("links", how, "memory setup link "+shell.Word(paths.Tilde(dir, d.Getenv("HOME"))),
			"%s leads to %s, %s", link, target, why)
		if runtime.GOOS != "windows" {
			found.fixedBy(func(ctx context.Context) error {
				return errors.Join(d.relaunch(ctx), os.Remove(link), os.Symlink(filepath.Join(d.Paths.Bin(), "memory"), link))
			})
		}
	}
}
