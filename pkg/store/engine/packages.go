package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// lockedPackage is the part of an entry in npm's lock file that an installation needs.
type lockedPackage struct {
	Name      string   `json:"name"` // empty: the name is in the place
	Version   string   `json:"version"`
	Integrity string   `json:"integrity"`
	Peer      bool     `json:"peer"` // typescript and tslib, which nothing uses at run time
	Dev       bool     `json:"dev"`
	OS        []string `json:"os"` // empty: all systems
	CPU       []string `json:"cpu"`
	Libc      []string `json:"libc"`
}

// installPackages does the work of npm ci on a machine without npm: it unpacks the packages of the lock file in target
// for a platform, such as linux-x64-gnu, to the directory work, and then moves them to target.
func installPackages(ctx context.Context, target, work, platform string, progress io.Writer) error {
	var lock struct {
		Packages map[string]lockedPackage `json:"packages"` // key: place in the directory
	}
	if err := atomicfile.ReadJSON(filepath.Join(target, lockFile), &lock); err != nil {
		return fmt.Errorf("read the list of the engine's packages: %w", err)
	}
	for _, place := range slices.Sorted(maps.Keys(lock.Packages)) {
		locked := lock.Packages[place]
		if place == "" || locked.Peer || locked.Dev || !locked.runsOn(platform) {
			continue
		}
		if !filepath.IsLocal(filepath.FromSlash(place)) || locked.Integrity == "" {
			return fmt.Errorf("the engine's lock file has no hash of %q, or it lies outside of the folder: reinstall the plugin", place)
		}
		if err := locked.install(ctx, work, place, progress); err != nil {
			return err
		}
	}
	installed := filepath.Join(target, packagesDir)
	err := os.RemoveAll(installed) // left by an earlier installation
	if err == nil {
		err = os.Rename(filepath.Join(work, packagesDir), installed)
	}
	return err
}

func (p lockedPackage) install(ctx context.Context, work, place string, progress io.Writer) error {
	name := p.Name
	if name == "" {
		name = place[strings.LastIndex(place, packagesDir+"/")+len(packagesDir)+1:]
	}
	from := archive{packageAddress(name, p.Version), p.Integrity}
	_, _ = fmt.Fprintf(progress, "downloading %s\n", from.address)
	return from.install(ctx, filepath.Join(work, filepath.FromSlash(place)), func(name string) string { return name })
}

func (p lockedPackage) runsOn(platform string) bool {
	parts := append(strings.Split(platform, "-"), "", "", "")
	libc := map[string]string{"gnu": "glibc", "musl": "musl"}[parts[2]]
	fits := func(names []string, one string) bool { return len(names) == 0 || slices.Contains(names, one) }
	return fits(p.OS, parts[0]) && fits(p.CPU, parts[1]) && (libc == "" || fits(p.Libc, libc))
}

// markInstalled records the lock file whose packages are installed in target.
func markInstalled(target string) error {
	sum, err := lockSum(target)
	if err == nil {
		err = atomicfile.Write(filepath.Join(target, packagesDir, installedFile), 0o644, []byte(sum))
	}
	return err
}

// moduleName is the beginning of a native module's file name, followed by a platform:
// surrealdb-node.linux-x64-gnu.node.
const moduleName = "surrealdb-node."

// platformScript makes Node.js print the platform of the native module that it loads, which may differ from this program's.
const platformScript = `let libc = ""; if (process.platform === "linux") libc = process.report.getReport().header.glibcVersionRuntime ? "-gnu" : "-musl"; ` +
	`console.log(process.platform + "-" + process.arch + libc)`

// platformOf returns the platform of a Node.js, such as linux-x64-gnu or win32-arm64.
func platformOf(ctx context.Context, node string) (string, error) {
	answer, said, err := ask(ctx, versionLimit, node, "-e", platformScript)
	if err == nil && answer == "" {
		err = errors.New("it printed nothing")
	}
	if err != nil {
		return "", fmt.Errorf("ask %s for its platform: %w: %s", node, err, said)
	}
	return answer, nil
}

// pruneModules deletes the native modules of other platforms. It keeps all if the module of the platform is missing.
func pruneModules(target, platform string) error {
	dir := filepath.Join(target, packagesDir, "@surrealdb", "node", "dist")
	modules, err := filepath.Glob(filepath.Join(dir, moduleName+"*.node"))
	isNeeded := func(path string) bool { return strings.HasPrefix(filepath.Base(path), moduleName+platform) }
	if err != nil || !slices.ContainsFunc(modules, isNeeded) {
		return nil // the needed module is unknown
	}
	for _, module := range modules {
		if isNeeded(module) {
			continue
		}
		if err := os.Remove(module); err != nil {
			return err
		}
	}
	return nil
}
