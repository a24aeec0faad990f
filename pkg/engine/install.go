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
)

const (
	installLock  = ".install.lock"
	lockInterval = 100 * time.Millisecond
)

// Install puts the packages of the embedded engine (about 155 MB) where Find looks for them, with npm, as the committed
// lock file says. It does nothing when they are there. Two at once, also in two processes, are one installation and one
// wait. What npm says goes to progress, which may be nil. An installation that was cut short is done again next time.
func Install(ctx context.Context, options Options, progress io.Writer) error {
	options = options.withDefaults()
	if progress == nil {
		progress = io.Discard
	}
	source, err := sourceDir(options.EngineDirs)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(options.EngineDirs, func(dir string) bool { return isInstalled(dir, source) }) {
		return nil
	}
	npm, err := options.LookPath("npm")
	if err != nil {
		return fmt.Errorf("installing the embedded engine needs npm, which comes with Node.js (https://nodejs.org): %w", err)
	}
	target, err := firstWritable(options.EngineDirs)
	if err != nil {
		return err
	}
	unlock, err := lockWithin(ctx, filepath.Join(target, installLock))
	if err != nil {
		return fmt.Errorf("waiting for another installation in %s: %w", target, err)
	}
	defer unlock()
	if isInstalled(target, source) {
		return nil
	}
	if err := copySources(source, target); err != nil {
		return err
	}
	if err := runNpm(ctx, npm, target, progress); err != nil {
		return err
	}
	sum, err := lockSum(target)
	if err != nil {
		return err
	}
	if err := writeAtomically(filepath.Join(target, packagesDir, installedFile), []byte(sum), 0o644); err != nil {
		return fmt.Errorf("marking the embedded engine as installed: %w", err)
	}
	return nil
}

func firstWritable(dirs []string) (string, error) {
	var problems []error
	for _, dir := range dirs {
		err := os.MkdirAll(dir, 0o755)
		if err == nil {
			var probe *os.File
			if probe, err = os.OpenFile(filepath.Join(dir, installLock), os.O_CREATE|os.O_RDWR, 0o644); err == nil {
				return dir, probe.Close()
			}
		}
		problems = append(problems, err)
	}
	return "", fmt.Errorf("no directory to install the embedded engine in: %w", errors.Join(problems...))
}

// lockWithin takes the lock, or gives up when ctx ends. The system releases it when this process ends.
func lockWithin(ctx context.Context, path string) (unlock func(), err error) {
	ticker := time.NewTicker(lockInterval)
	defer ticker.Stop()
	for {
		unlock, err := tryLock(path)
		if err == nil || !errors.Is(err, errLocked) {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ticker.C:
		}
	}
}

var errLocked = errors.New("locked")

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
		if err := writeAtomically(destination, content, 0o644); err != nil {
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
	said := &tail{limit: 2048}
	command.Stdout = io.MultiWriter(progress, said)
	command.Stderr = command.Stdout
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return fmt.Errorf("installing the embedded engine with npm ci in %s: %w: %s", dir, err, said)
	}
	return nil
}

// isNpmSetting lets npm see what it needs to reach a registry, besides what every child sees: proxies, certificates
// and its own settings.
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
