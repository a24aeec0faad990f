package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
)

const (
	installLock  = ".install.lock"
	lockInterval = 100 * time.Millisecond
)

// DownloadSize says how much Install downloads.
const DownloadSize = "10 MB, or 71 in a checkout; 52 more without Node.js"

// Install installs the packages of the lock file in the directory in which Find looks for them. It uses the user's npm,
// which knows the user's registry and proxy, or else its own downloader, and also downloads the pinned Node.js if there is
// none. It does nothing if everything is there. If it is called twice at once, even in two processes, one call installs and
// the other waits. An interrupted installation is repeated next time.
func Install(ctx context.Context, options Options) error {
	options = options.withDefaults()
	if _, err := embeddedVersion(options.Sources); err != nil {
		return err
	}
	isComplete := func() (is bool, err error) {
		if _, err = options.embedded(ctx); errors.Is(err, private.ErrUnsafe) {
			return false, err
		}
		return err == nil, nil
	}
	if is, err := isComplete(); is || err != nil {
		return err
	}
	target := options.Packages
	if err := os.MkdirAll(target, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(target, installLock), flock.SetPermissions(0o644)) // the system releases it when this process ends
	if _, err := lock.TryLockContext(ctx, lockInterval); err != nil {
		return fmt.Errorf("the lock of installations in %s could not be taken (another installation may run): %w", target, err)
	}
	defer func() { _ = lock.Unlock() }()
	if is, err := isComplete(); is || err != nil {
		return err
	}
	return installAll(ctx, options)
}

// installAll installs what is missing. The caller holds the lock.
func installAll(ctx context.Context, options Options) error {
	target, progress := options.Packages, options.Output
	abandoned, _ := filepath.Glob(filepath.Join(target, stagingPrefix+"*"))
	for _, dir := range abandoned {
		_ = os.RemoveAll(dir) // a failure only costs disk space
	}
	work, err := os.MkdirTemp(target, stagingPrefix)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	found, err := options.node(ctx)
	if errors.Is(err, errNoNode) {
		pinned, ok := readRuntime(options.Sources)
		if !ok {
			return ErrNoEngine
		}
		found, err = node{path: pinned.program(target)}, pinned.install(ctx, target, work, progress)
	}
	if err != nil || isInstalled(target, options.Sources) {
		return err
	}
	if err := copySources(options.Sources, target); err != nil {
		return err
	}
	if npm, npmErr := options.LookPath("npm"); npmErr == nil && found.isUsers {
		err = runNpm(ctx, npm, target, progress)
	} else {
		err = installPackages(ctx, target, work, found.path, progress)
	}
	if err == nil {
		err = closeToOthers(filepath.Join(target, packagesDir))
	}
	if err == nil {
		err = markInstalled(target)
	}
	return err
}

// closeToOthers takes from other users the right to write, which npm gives them with some umasks: files with this right are not loaded.
func closeToOthers(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := entry.Info()
		if err != nil || info.Mode().Perm()&0o022 == 0 {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()&^0o022)
	})
}

// copySources updates the engine's own files in target. It does not write files that are equal, and replaces others
// atomically, so that a running server never reads an incomplete file.
func copySources(source, target string) error {
	if filepath.Clean(source) == filepath.Clean(target) {
		return nil
	}
	for _, name := range []string{manifestFile, lockFile, serverFile} {
		destination := filepath.Join(target, name)
		content, err := os.ReadFile(filepath.Join(source, name))
		if old, oldErr := os.ReadFile(destination); err == nil && (oldErr != nil || !bytes.Equal(old, content)) {
			err = atomicfile.Write(destination, 0o644, content)
		}
		if err != nil {
			return fmt.Errorf("copying the embedded engine: %w", err)
		}
	}
	return nil
}

func runNpm(ctx context.Context, npm, dir string, progress io.Writer) error {
	// typescript and tslib are declared as peers and not used at run time: 23 MB less without them.
	command := exec.CommandContext(ctx, npm, "ci", "--omit=dev", "--omit=peer", "--ignore-scripts", "--no-audit", "--no-fund",
		"--no-dry-run", "--no-global", "--no-workspaces", // these override the user's .npmrc
		"--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=4000") // npm's default is 70 s; the next session tries again
	command.Dir = dir
	command.Env = pickEnvironment(isNpmSetting)
	command.WaitDelay = 5 * time.Second
	said := &tail{limit: saidKept}
	command.Stdout = io.MultiWriter(progress, said)
	command.Stderr = command.Stdout
	if err := process.Run(command); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("npm hangs or is too slow; check with npm ping whether the registry can be reached: %w", ctx.Err())
		}
		return fmt.Errorf("npm ci in %s: %w: %s", dir, err, said)
	}
	return nil
}

// isNpmSetting reports whether npm needs a variable: the variables of every child, proxies, certificates and npm's own settings.
func isNpmSetting(name string) bool {
	upper := strings.ToUpper(name)
	if strings.HasPrefix(upper, "NPM_CONFIG_") {
		return true
	}
	return slices.Contains([]string{
		"PATH", "HOME", "TMPDIR", "LANG", "SYSTEMROOT", "USERPROFILE", "TEMP", "TMP", "APPDATA", "LOCALAPPDATA", "COMSPEC", "PATHEXT",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
		"XDG_CACHE_HOME", "XDG_CONFIG_HOME",
	}, upper)
}

// lockedPackage is the part of an entry in npm's lock file that an installation needs.
type lockedPackage struct {
	Name      string   `json:"name"` // empty if the path of the entry ends with the name
	Version   string   `json:"version"`
	Integrity string   `json:"integrity"`
	Peer      bool     `json:"peer"` // typescript and tslib, which nothing uses at run time
	Dev       bool     `json:"dev"`
	OS        []string `json:"os"` // empty: all systems
	CPU       []string `json:"cpu"`
	Libc      []string `json:"libc"`
}

// installPackages does the work of npm ci on a machine without npm. It takes the packages that the lock file in target
// has for the platform of a Node.js, unpacks them in the directory work, and then moves them to target.
func installPackages(ctx context.Context, target, work, node string, progress io.Writer) error {
	platform, err := platformOf(ctx, node)
	if err != nil {
		return err
	}
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
	err = os.RemoveAll(installed) // left by an earlier installation
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
