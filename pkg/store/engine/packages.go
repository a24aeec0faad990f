package engine

import (
	"context"
	"encoding/json"
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

// lockedPackage is an entry of npm's lock file, as far as an installation needs it.
type lockedPackage struct {
	Name      string   `json:"name"` // empty: that of its place
	Version   string   `json:"version"`
	Integrity string   `json:"integrity"`
	Peer      bool     `json:"peer"` // typescript and tslib, which nothing uses at run time
	Dev       bool     `json:"dev"`
	OS        []string `json:"os"` // empty: all
	CPU       []string `json:"cpu"`
	Libc      []string `json:"libc"`
}

// installPackages does what npm ci does where there is no npm: it installs the packages of the lock file in target for the
// platform, such as linux-x64-gnu.
func installPackages(ctx context.Context, target, platform string, progress io.Writer) error {
	var lock struct {
		Packages map[string]lockedPackage `json:"packages"` // by their place
	}
	content, err := os.ReadFile(filepath.Join(target, lockFile))
	if err == nil {
		err = json.Unmarshal(content, &lock)
	}
	if err != nil {
		return fmt.Errorf("reading the engine's lock file: %w", err)
	}
	work, err := os.MkdirTemp(target, stagingPrefix)
	if err != nil {
		return fmt.Errorf("installing the embedded engine: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	for _, place := range slices.Sorted(maps.Keys(lock.Packages)) {
		locked := lock.Packages[place]
		if place == "" || locked.Peer || locked.Dev || !locked.runsOn(platform) {
			continue
		}
		if !filepath.IsLocal(filepath.FromSlash(place)) || locked.Integrity == "" {
			return fmt.Errorf("the engine's lock file has no hash of %q, or a place outside its folder: reinstall the plugin", place)
		}
		if err := locked.install(ctx, work, place, progress); err != nil {
			return fmt.Errorf("installing the embedded engine, %s: %w", again, err)
		}
	}
	installed := filepath.Join(target, packagesDir)
	err = os.RemoveAll(installed) // the rest of an earlier one
	if err == nil {
		err = os.Rename(filepath.Join(work, packagesDir), installed)
	}
	if err != nil {
		return fmt.Errorf("installing the embedded engine: %w", err)
	}
	return nil
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

// runsOn reports whether the package is for the platform.
func (p lockedPackage) runsOn(platform string) bool {
	parts := append(strings.Split(platform, "-"), "", "", "")
	libc := map[string]string{"gnu": "glibc", "musl": "musl"}[parts[2]]
	fits := func(names []string, one string) bool { return len(names) == 0 || slices.Contains(names, one) }
	return fits(p.OS, parts[0]) && fits(p.CPU, parts[1]) && (libc == "" || fits(p.Libc, libc))
}

// markInstalled notes which lock file's packages are in target.
func markInstalled(target string) error {
	sum, err := lockSum(target)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(target, packagesDir, installedFile), 0o644, []byte(sum)); err != nil {
		return fmt.Errorf("marking the embedded engine as installed: %w", err)
	}
	return nil
}

// moduleName begins the names of the native modules, one for each platform: surrealdb-node.linux-x64-gnu.node.
const moduleName = "surrealdb-node."

// platformScript has Node.js print the platform of the native module that it loads, which may differ from that of this
// program.
const platformScript = `let libc = ""; if (process.platform === "linux") libc = process.report.getReport().header.glibcVersionRuntime ? "-gnu" : "-musl"; ` +
	`console.log(process.platform + "-" + process.arch + libc)`

// platformOf is the platform of a Node.js, such as linux-x64-gnu or win32-arm64.
func platformOf(ctx context.Context, node string) (string, error) {
	answer, said, err := ask(ctx, versionLimit, node, "-e", platformScript)
	if err == nil && answer == "" {
		err = errors.New("it printed nothing")
	}
	if err != nil {
		return "", fmt.Errorf("asking %s for its platform: %w: %s", node, err, said)
	}
	return answer, nil
}

// pruneModules deletes the native modules of other platforms, if the one of this platform is there.
func pruneModules(target, platform string) error {
	dir := filepath.Join(target, packagesDir, "@surrealdb", "node", "dist")
	modules, err := filepath.Glob(filepath.Join(dir, moduleName+"*.node"))
	isNeeded := func(path string) bool { return strings.HasPrefix(filepath.Base(path), moduleName+platform) }
	if err != nil || !slices.ContainsFunc(modules, isNeeded) {
		return nil // nothing shows which one is needed: all are kept
	}
	for _, module := range modules {
		if isNeeded(module) {
			continue
		}
		if err := os.Remove(module); err != nil {
			return fmt.Errorf("deleting the engine's module of another platform: %w", err)
		}
	}
	return nil
}
