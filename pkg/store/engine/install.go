package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
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
	isComplete := func() bool {
		_, err := options.embedded(ctx)
		return err == nil
	}
	if isComplete() {
		return nil
	}
	target := options.Packages
	if err := os.MkdirAll(target, 0o700); err != nil {
		return fmt.Errorf("install the embedded engine: %w", err)
	}
	lock := flock.New(filepath.Join(target, installLock), flock.SetPermissions(0o644)) // the system releases it when this process ends
	if _, err := lock.TryLockContext(ctx, lockInterval); err != nil {
		return fmt.Errorf("wait for another installation in %s: %w", target, err)
	}
	defer func() { _ = lock.Unlock() }()
	if isComplete() {
		return nil
	}
	if err := installAll(ctx, options); err != nil {
		return fmt.Errorf("install the embedded engine (memory setup engine install repeats it): %w", err)
	}
	return nil
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
	platform, platformErr := platformOf(ctx, found.path)
	if npm, npmErr := options.LookPath("npm"); npmErr == nil && found.isUsers {
		err = runNpm(ctx, npm, target, progress)
	} else if err = platformErr; err == nil {
		err = installPackages(ctx, target, work, platform, progress)
	}
	if err == nil && platformErr == nil { // otherwise the modules of all platforms are kept
		err = pruneModules(target, platform)
	}
	if err == nil {
		err = markInstalled(target)
	}
	return err
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
