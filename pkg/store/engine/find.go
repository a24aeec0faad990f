package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

const (
	oldestNode    = 20
	versionLimit  = 10 * time.Second // a program that takes longer to say its version is broken
	serverFile    = "server.mjs"
	lockFile      = "package-lock.json"
	manifestFile  = "package.json"
	packagesDir   = "node_modules"
	installedFile = ".installed" // inside packagesDir; holds the SHA-256 of the lock file that was installed
)

// Find chooses an engine and starts none. It returns ErrNoEngine, ErrNotInstalled, ErrFormat if the data belongs to an
// engine with another format, or another error for a URL it cannot use.
func Find(ctx context.Context, options Options) (Choice, error) {
	options = options.withDefaults()
	if options.Remote.URL != "" {
		return findRemote(options.Remote.URL)
	}
	choice, err := options.embedded(ctx)
	if options.DataPath == "" || options.InMemory || err != nil && !errors.Is(err, ErrNotInstalled) {
		return choice, err
	}
	made, found, madeErr := ReadMade(options.DataPath)
	switch {
	case madeErr != nil:
		return Choice{}, madeErr
	case found && made.Generation() != choice.Made().Generation():
		return choice, fmt.Errorf("the store in %s was written by SurrealDB %s, and %s cannot use that: %w", options.DataPath, made.Version, choice, ErrFormat)
	}
	return choice, err
}

func findRemote(address string) (Choice, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return Choice{}, errors.New("store.url is not a URL: use ws://, wss://, http:// or https:// and a host")
	}
	if !slices.Contains([]string{"ws", "wss", "http", "https"}, parsed.Scheme) || parsed.Host == "" {
		return Choice{}, fmt.Errorf("store.url %s: use ws://, wss://, http:// or https:// and a host", parsed.Redacted())
	}
	if parsed.User != nil {
		return Choice{}, fmt.Errorf("store.url %s: put the user into store.user and the password into store.pass", parsed.Redacted())
	}
	return Choice{Kind: Remote, Path: address}, nil
}

// errNoNode reports that no Node.js is here that can run the embedded engine. One may be pinned, to be downloaded.
var errNoNode = errors.New("there is no Node.js here yet")

// node is a program that runs the embedded engine.
type node struct {
	path    string
	version string
	isUsers bool // and not the pinned one, which has no npm
}

// node finds the user's Node.js, or the pinned one if that was downloaded. Else it returns errNoNode, with the reason
// against those that were found.
func (o Options) node(ctx context.Context) (node, error) {
	missing := errNoNode
	if path, err := o.LookPath("node"); err == nil {
		version, err := askVersion(ctx, path, "--version")
		switch {
		case err != nil:
			missing = fmt.Errorf("%w (passed over %s: %w)", errNoNode, path, err)
		case major(version) < oldestNode:
			missing = fmt.Errorf("%w (passed over %s: version %s, and %d or newer is needed)", errNoNode, path, version, oldestNode)
		default:
			return node{path, version, true}, nil
		}
	}
	pinned, ok := readRuntime(o.Sources)
	if !ok {
		return node{}, missing
	}
	found := node{path: pinned.program(o.Packages), version: pinned.version}
	if _, err := os.Stat(found.path); err != nil {
		return found, missing
	}
	if err := private.Program(found.path); err != nil {
		return found, fmt.Errorf("%w (passed over %s: %w)", errNoNode, found.path, err)
	}
	return found, nil
}

// embedded returns the embedded engine. With ErrNotInstalled its own files are there, and Install downloads the rest.
func (o Options) embedded(ctx context.Context) (Choice, error) {
	choice := Choice{Kind: Embedded}
	found, nodeErr := o.node(ctx)
	if nodeErr != nil && found.version == "" {
		return Choice{}, fmt.Errorf("%w: %w", ErrNoEngine, nodeErr)
	}
	choice.Node, choice.node = found.version, found.path
	var err error
	choice.Version, err = embeddedVersion(o.Sources)
	if err != nil {
		return choice, err
	}
	if nodeErr != nil {
		return choice, fmt.Errorf("%w in %s: %w", ErrNotInstalled, o.Packages, nodeErr)
	}
	if !isInstalled(o.Packages, o.Sources) {
		return choice, fmt.Errorf("%w in %s", ErrNotInstalled, o.Packages)
	}
	choice.Path = o.Packages
	return choice, nil
}

func askVersion(ctx context.Context, path, argument string) (string, error) {
	answer, _, err := ask(ctx, versionLimit, path, argument)
	if err != nil {
		return "", fmt.Errorf("%s failed: %w", argument, err)
	}
	version := versionPattern.FindString(answer)
	if version == "" {
		return "", fmt.Errorf("%s names no version", argument)
	}
	return version, nil
}

func major(version string) int { return numbers(version)[0] }

// embeddedVersion reads the version of the SurrealDB inside the package @surrealdb/node from the engine's manifest; the
// package itself does not name it.
func embeddedVersion(sources string) (string, error) {
	described, err := readManifest(sources)
	if err == nil {
		_, err = os.Stat(filepath.Join(sources, serverFile))
	}
	if err == nil {
		_, err = os.Stat(filepath.Join(sources, lockFile))
	}
	if err == nil && described.Config.SurrealDB == "" {
		err = fmt.Errorf("%s names no SurrealDB", manifestFile)
	}
	if err != nil {
		return "", fmt.Errorf("the embedded engine's own files in %s cannot be used: %w: reinstall the plugin", sources, err)
	}
	return described.Config.SurrealDB, nil
}

// manifest is what the engine's package.json says to us.
type manifest struct {
	Config struct {
		SurrealDB string `json:"surrealdb"` // version of the SurrealDB in the packages
		Download  string `json:"download"`  // how much they take to download, such as 10 MB
	} `json:"config"`
}

func readManifest(sources string) (described manifest, err error) {
	content, err := os.ReadFile(filepath.Join(sources, manifestFile))
	if err == nil {
		err = json.Unmarshal(content, &described)
	}
	return described, err
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
