package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/process"
)

const (
	installLock  = ".install.lock"
	lockInterval = 100 * time.Millisecond
)

// DownloadSize says how much Install downloads, about: the packages of npm, as the manifest beside the lock file says, or the
// official build.
func DownloadSize(ctx context.Context, options Options) string {
	options = options.withDefaults()
	if _, build, ok := readOfficial(options.Sources); ok && isWithoutNode(ctx, options) {
		return fmt.Sprintf("%d MB", build.Bytes/1_000_000+1)
	}
	described, _ := readManifest(options.Sources) // Install tells the error
	return cmp.Or(described.Config.Download, "some MB")
}

// isWithoutNode says that the embedded engine cannot be started here.
func isWithoutNode(ctx context.Context, options Options) bool {
	_, err := (&search{ctx: ctx, options: options}).embedded()
	return errors.Is(err, ErrNoEngine)
}

// Install puts the packages of the embedded engine where Find looks for them, with npm, as the committed lock file
// says; without Node.js it fetches the official build that the engine's files name. It does nothing when they are there.
// Of two at once, also in two processes, one installs and the other waits. npm's output goes to progress, which may be
// nil. An interrupted installation is repeated next time.
func Install(ctx context.Context, options Options, progress io.Writer) error {
	options = options.withDefaults()
	if progress == nil {
		progress = io.Discard
	}
	source, target := options.Sources, options.Packages
	if _, err := embeddedVersion(source); err != nil {
		return err
	}
	if isInstalled(target, source) {
		return nil
	}
	if err := os.MkdirAll(target, 0o700); err != nil {
		return fmt.Errorf("installing the embedded engine: %w", err)
	}
	lock, err := lockWithin(ctx, target)
	if err != nil {
		return fmt.Errorf("waiting for another installation in %s: %w", target, err)
	}
	defer func() { _ = lock.Unlock() }()
	if isInstalled(target, source) {
		return nil
	}
	if err := os.Chtimes(filepath.Join(target, installLock), time.Time{}, time.Now()); err != nil { // for Installing
		return fmt.Errorf("installing the embedded engine: %w", err)
	}
	if _, _, ok := readOfficial(source); ok && isWithoutNode(ctx, options) {
		return installOfficial(ctx, options, progress)
	}
	if err := copySources(source, target); err != nil {
		return err
	}
	return installByNpm(ctx, options, target, progress)
}

// installByNpm has npm fetch the engine's packages into target.
func installByNpm(ctx context.Context, options Options, target string, progress io.Writer) error {
	npm, err := options.LookPath("npm")
	if err != nil {
		return fmt.Errorf("installing the embedded engine needs npm, which comes with Node.js (https://nodejs.org): %w", err)
	}
	if err := runNpm(ctx, npm, target, progress); err != nil {
		return err
	}
	if err := pruneModules(ctx, options, target); err != nil {
		return err
	}
	sum, err := lockSum(target)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(target, packagesDir, installedFile), 0o644, []byte(sum)); err != nil {
		return fmt.Errorf("marking the embedded engine as installed: %w", err)
	}
	return nil
}

// moduleName is how the native modules are named, one for each platform: surrealdb-node.linux-x64-gnu.node.
const moduleName = "surrealdb-node."

// platformScript has Node.js name the native module that it loads: it may differ from the platform of
// this program.
const platformScript = `let libc = ""; if (process.platform === "linux") libc = process.report.getReport().header.glibcVersionRuntime ? "-gnu" : "-musl"; ` +
	`console.log(process.platform + "-" + process.arch + libc)`

// pruneModules deletes the native modules of other platforms, if the one that Node.js here loads is known and there.
func pruneModules(ctx context.Context, options Options, target string) error {
	node, err := options.LookPath("node")
	if err != nil {
		return nil //nolint:nilerr // nothing says which one is needed: all are kept
	}
	answer, _, err := ask(ctx, versionLimit, node, "-e", platformScript)
	wanted := moduleName + answer
	dir := filepath.Join(target, packagesDir, "@surrealdb", "node", "dist")
	modules, globErr := filepath.Glob(filepath.Join(dir, moduleName+"*.node"))
	isWanted := func(path string) bool { return strings.HasPrefix(filepath.Base(path), wanted) }
	if err != nil || globErr != nil || wanted == moduleName || !slices.ContainsFunc(modules, isWanted) {
		return nil //nolint:nilerr // as above
	}
	for _, module := range modules {
		if isWanted(module) {
			continue
		}
		if err := os.Remove(module); err != nil {
			return fmt.Errorf("deleting the engine's module of another platform: %w", err)
		}
	}
	return nil
}

// Uninstall removes the packages, and says how many bytes that was.
func Uninstall(ctx context.Context, options Options) (int64, error) {
	if _, err := os.Stat(options.Packages); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	lock, err := lockWithin(ctx, options.Packages)
	if err != nil {
		return 0, fmt.Errorf("waiting for an installation in %s: %w", options.Packages, err)
	}
	defer func() { _ = lock.Unlock() }()
	size := Size(options.Packages)
	ours, err := filepath.Glob(filepath.Join(options.Packages, "surreal-*"))
	if err != nil {
		return 0, fmt.Errorf("removing the engine: %w", err)
	}
	for _, name := range []string{filepath.Join(packagesDir, installedFile), packagesDir, manifestFile, lockFile, serverFile} {
		ours = append(ours, filepath.Join(options.Packages, name))
	}
	for _, path := range ours {
		if err := os.RemoveAll(path); err != nil {
			return 0, fmt.Errorf("removing the engine: %w", err)
		}
	}
	return size, nil
}

// Installing says since when an installation into the directory has been under way, and false if none is.
func Installing(packages string) (since time.Time, ok bool) {
	path := filepath.Join(packages, installLock)
	info, err := os.Stat(path)
	if err != nil {
		return since, false
	}
	lock := flock.New(path)
	free, err := lock.TryLock()
	if free {
		_ = lock.Unlock()
	}
	return info.ModTime(), err == nil && !free
}

// Size is how many bytes the files below a directory have.
func Size(dir string) int64 {
	var size int64
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error { // unreadable entries do not count
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

// lockWithin acquires the lock, or gives up when ctx ends. The system releases it when this process ends.
func lockWithin(ctx context.Context, packages string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(packages, installLock), flock.SetPermissions(0o644))
	_, err := lock.TryLockContext(ctx, lockInterval)
	return lock, err
}

// copySources brings the engine's own files in target up to date. Files that are the same are left alone, so that a
// running server never sees half a file.
func copySources(source, target string) error {
	if filepath.Clean(source) == filepath.Clean(target) {
		return nil
	}
	for _, name := range []string{manifestFile, lockFile, serverFile} {
		content, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			return fmt.Errorf("copying the embedded engine: %w", err)
		}
		destination := filepath.Join(target, name)
		if old, err := os.ReadFile(destination); err == nil && bytes.Equal(old, content) {
			continue
		}
		if err := atomicfile.Write(destination, 0o644, content); err != nil {
			return fmt.Errorf("copying the embedded engine: %w", err)
		}
	}
	return nil
}

func runNpm(ctx context.Context, npm, dir string, progress io.Writer) error {
	// typescript and tslib are declared as peers and used by nothing at run time: 23 MB less without them.
	command := exec.CommandContext(ctx, npm, "ci", "--omit=dev", "--omit=peer", "--ignore-scripts", "--no-audit", "--no-fund")
	command.Dir = dir
	command.Env = pickEnvironment(isNpmSetting)
	command.WaitDelay = 5 * time.Second
	said := &tail{limit: saidKept}
	command.Stdout = io.MultiWriter(progress, said)
	command.Stderr = command.Stdout
	if err := process.Run(command); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("npm hangs or is too slow, is the registry reached? try: npm ping: %w", ctx.Err())
		}
		return fmt.Errorf("installing the embedded engine failed, memory setup engine install does it again: npm ci in %s: %w: %s", dir, err, said)
	}
	return nil
}

// isNpmSetting lets npm see the variables with which it reaches a registry, besides those of every
// child: proxies, certificates and its own settings.
func isNpmSetting(name string) bool {
	upper := strings.ToUpper(name)
	if strings.HasPrefix(upper, "NPM_CONFIG_") {
		return true
	}
	return slices.Contains([]string{
		"PATH", "HOME", "TMPDIR", "LANG", "SYSTEMROOT", "USERPROFILE", "TEMP", "TMP", "APPDATA", "LOCALAPPDATA", "COMSPEC", "PATHEXT",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
	}, upper)
}
