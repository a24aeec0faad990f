package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	surrealMajor  = 3
	oldestNode    = 20
	versionLimit  = 10 * time.Second // a program that takes longer to say its version is broken
	serverFile    = "server.mjs"
	lockFile      = "package-lock.json"
	manifestFile  = "package.json"
	packagesDir   = "node_modules"
	installedFile = ".installed" // inside packagesDir; holds the SHA-256 of the lock file that was installed
)

// Find chooses an engine and starts none. It returns ErrNoEngine or ErrNotInstalled, both with what was passed over
// and why, or another error for a URL it cannot use.
func Find(ctx context.Context, options Options) (Choice, error) {
	options = options.withDefaults()
	if options.URL != "" {
		return findRemote(options.URL)
	}
	choice, found := findBinary(ctx, options)
	if found {
		return choice, nil
	}
	return findEmbedded(ctx, options, choice.PassedOver)
}

func findRemote(address string) (Choice, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return Choice{}, errors.New("SURREAL_URL is not a URL: use ws://, wss://, http:// or https:// and a host")
	}
	if !slices.Contains([]string{"ws", "wss", "http", "https"}, parsed.Scheme) || parsed.Host == "" {
		return Choice{}, fmt.Errorf("SURREAL_URL %s: use ws://, wss://, http:// or https:// and a host", parsed.Redacted())
	}
	if parsed.User != nil {
		return Choice{}, fmt.Errorf("SURREAL_URL %s: put the user and password in SURREAL_USER and SURREAL_PASS", parsed.Redacted())
	}
	return Choice{Kind: Remote, Path: address}, nil
}

func findBinary(ctx context.Context, options Options) (Choice, bool) {
	var candidates []string
	if path, err := options.LookPath("surreal"); err == nil {
		candidates = append(candidates, path)
	}
	if options.HomeDir != "" {
		candidates = append(candidates, filepath.Join(options.HomeDir, ".surrealdb", "surreal"))
	}
	var passedOver []string
	for _, path := range slices.Compact(candidates) {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		version, err := askVersion(ctx, path, "version")
		switch {
		case err != nil:
			passedOver = append(passedOver, fmt.Sprintf("%s: %v", path, err))
		case major(version) != surrealMajor:
			passedOver = append(passedOver, fmt.Sprintf("%s: version %s, and %d.x is needed", path, version, surrealMajor))
		default:
			return Choice{Kind: Binary, Path: path, Version: version, PassedOver: passedOver}, true
		}
	}
	return Choice{PassedOver: passedOver}, false
}

func findEmbedded(ctx context.Context, options Options, passedOver []string) (Choice, error) {
	choice := Choice{Kind: Embedded, PassedOver: passedOver}
	node, err := options.LookPath("node")
	if err != nil {
		return Choice{PassedOver: passedOver}, noEngine(passedOver)
	}
	version, err := askVersion(ctx, node, "--version")
	if err != nil {
		passedOver = append(passedOver, fmt.Sprintf("%s: %v", node, err))
		return Choice{PassedOver: passedOver}, noEngine(passedOver)
	}
	if major(version) < oldestNode {
		passedOver = append(passedOver, fmt.Sprintf("%s: version %s, and %d or newer is needed", node, version, oldestNode))
		return Choice{PassedOver: passedOver}, noEngine(passedOver)
	}
	choice.Version, choice.node = version, node
	source, err := sourceDir(options.EngineDirs)
	if err != nil {
		return choice, err
	}
	for _, dir := range options.EngineDirs {
		if isInstalled(dir, source) {
			choice.Path = dir
			return choice, nil
		}
	}
	return choice, fmt.Errorf("%w in %s", ErrNotInstalled, strings.Join(options.EngineDirs, " or "))
}

func noEngine(passedOver []string) error {
	if len(passedOver) == 0 {
		return ErrNoEngine
	}
	return fmt.Errorf("%w (passed over %s)", ErrNoEngine, strings.Join(passedOver, "; "))
}

var versionPattern = regexp.MustCompile(`\d+\.\d+\.\d+\S*`)

func askVersion(ctx context.Context, path, argument string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionLimit)
	defer cancel()
	command := exec.CommandContext(ctx, path, argument)
	command.Env = childEnvironment()
	command.WaitDelay = time.Second
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s failed: %w", argument, err)
	}
	version := versionPattern.FindString(string(output))
	if version == "" {
		return "", fmt.Errorf("%s names no version", argument)
	}
	return version, nil
}

func major(version string) int {
	first, _, _ := strings.Cut(version, ".")
	number, err := strconv.Atoi(first)
	if err != nil {
		return -1
	}
	return number
}

// sourceDir returns the first directory that holds the embedded engine's own files.
func sourceDir(dirs []string) (string, error) {
	for _, dir := range dirs {
		_, lockErr := os.Stat(filepath.Join(dir, lockFile))
		_, serverErr := os.Stat(filepath.Join(dir, serverFile))
		if lockErr == nil && serverErr == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("the embedded engine's %s and %s are in none of the directories %q: reinstall the plugin", serverFile, lockFile, dirs)
}

// isInstalled says whether dir holds the packages that the lock file in source asks for, completely.
func isInstalled(dir, source string) bool {
	wanted, err := lockSum(source)
	if err != nil {
		return false
	}
	if _, err := os.Stat(filepath.Join(dir, serverFile)); err != nil {
		return false
	}
	stamp, err := os.ReadFile(filepath.Join(dir, packagesDir, installedFile))
	return err == nil && string(stamp) == wanted
}

func lockSum(dir string) (string, error) {
	content, err := os.ReadFile(filepath.Join(dir, lockFile))
	if err != nil {
		return "", fmt.Errorf("reading the engine's lock file: %w", err)
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), nil
}

// childEnvironment is what a child process gets to see, plus the given settings. The rest of the environment stays
// here: it holds API keys.
func childEnvironment(settings ...string) []string {
	names := []string{"PATH", "HOME", "TMPDIR", "LANG", "SYSTEMROOT", "USERPROFILE", "TEMP", "TMP"}
	return append(pickEnvironment(func(name string) bool { return slices.Contains(names, strings.ToUpper(name)) }), settings...)
}

func pickEnvironment(wanted func(name string) bool) []string {
	var picked []string
	for _, setting := range os.Environ() {
		if name, _, _ := strings.Cut(setting, "="); wanted(name) {
			picked = append(picked, setting)
		}
	}
	return picked
}
