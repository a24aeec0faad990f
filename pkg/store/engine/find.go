package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

const (
	oldestNode    = 20
	versionLimit  = 10 * time.Second // most time for a program to print its version
	serverFile    = "server.mjs"
	lockFile      = "package-lock.json"
	manifestFile  = "package.json"
	packagesDir   = "node_modules"
	installedFile = ".installed" // file in packagesDir with the SHA-256 of the installed lock file
)

// Find chooses an engine without starting it. It fails with ErrNoEngine, ErrNotInstalled, ErrFormat if the data has the
// format of another engine, private.ErrUnsafe if others could have changed the engine, or for a URL that cannot be used.
func Find(ctx context.Context, options Options) (Choice, error) {
	options = options.withDefaults()
	if options.Remote.URL != "" {
		return findRemote(options.Remote.URL)
	}
	choice, err := options.embedded(ctx)
	if options.DataPath == "" || options.InMemory || err != nil && !errors.Is(err, ErrNotInstalled) {
		return choice, err
	}
	made, madeErr := ReadDataFormat(options.DataPath)
	switch {
	case madeErr != nil:
		return Choice{}, madeErr
	case made != "" && generation(made) != generation(choice.Version):
		return choice, fmt.Errorf("%w: SurrealDB %s wrote %s, and %s cannot read it", ErrFormat, made, options.DataPath, choice)
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

// errNoNode means that no installed Node.js can run the embedded engine. The pinned one may be downloaded.
var errNoNode = errors.New("there is no usable Node.js")

// node is a Node.js program that runs the embedded engine.
type node struct {
	path    string
	version string
	isUsers bool // false for the pinned Node.js, which has no npm
}

// node returns the user's Node.js, or the downloaded one. It fails with errNoNode and the reason why a found one is not used.
func (o Options) node(ctx context.Context) (node, error) {
	missing := errNoNode
	if path, err := o.LookPath("node"); err == nil {
		answer, _, err := ask(ctx, versionLimit, path, "--version")
		switch version := versionPattern.FindString(answer); {
		case err != nil:
			missing = fmt.Errorf("%w: %s --version failed: %w", errNoNode, path, err)
		case version == "":
			missing = fmt.Errorf("%w: %s --version does not print a version", errNoNode, path)
		case numbers(version)[0] < oldestNode:
			missing = fmt.Errorf("%w: %s is version %s, but %d or newer is needed", errNoNode, path, version, oldestNode)
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
		return found, fmt.Errorf("%w: %w", errNoNode, err)
	}
	return found, nil
}

// embedded returns the embedded engine. It fails with ErrNotInstalled if Install has to download a part of it.
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
		return choice, fmt.Errorf("%w in %s: memory setup engine install installs it", ErrNotInstalled, o.Packages)
	}
	choice.Path = o.Packages
	return choice, choice.check()
}

// check fails with private.ErrUnsafe unless all that an engine's process loads is safe from others: Node.js and the packages.
func (c Choice) check() error {
	if err := cmp.Or(private.Program(c.node), private.Programs(c.Path)); err != nil {
		return fmt.Errorf("the database engine is not safe from other users: %w", err)
	}
	return nil
}

// embeddedVersion returns the version of SurrealDB, which the engine's manifest has, because @surrealdb/node does not.
func embeddedVersion(sources string) (string, error) {
	var manifest struct {
		Config struct {
			SurrealDB string `json:"surrealdb"` // version of the SurrealDB in the packages
		} `json:"config"`
	}
	err := atomicfile.ReadJSON(filepath.Join(sources, manifestFile), &manifest)
	if err == nil {
		_, err = os.Stat(filepath.Join(sources, serverFile))
	}
	if err == nil {
		_, err = os.Stat(filepath.Join(sources, lockFile))
	}
	if err == nil && manifest.Config.SurrealDB == "" {
		err = fmt.Errorf("%s does not name the version of SurrealDB", manifestFile)
	}
	if err != nil {
		return "", fmt.Errorf("the embedded engine's own files in %s cannot be used: %w: reinstall the plugin", sources, err)
	}
	return manifest.Config.SurrealDB, nil
}

// isInstalled reports whether dir has all packages of the lock file in source.
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
		return "", fmt.Errorf("read the list of the engine's packages: %w", err)
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), nil
}

// runtimeFile is the file in Sources that pins the Node.js which is downloaded if there is none.
const runtimeFile = "runtime.json"

// nodeRuntime is the npm package with the Node.js that is pinned for a platform.
type nodeRuntime struct {
	Package   string `json:"package"`
	Bytes     int64  `json:"bytes"`            // size of the download
	Integrity string `json:"integrity"`        // hash, as in npm's lock file
	Loader    string `json:"loader,omitempty"` // path of glibc's loader, without which the program cannot start
	version   string
}

var versionPattern = regexp.MustCompile(`\d+\.\d+\.\d+\S*`)

// readRuntime returns the Node.js that is pinned for this platform, or false if there is none.
func readRuntime(sources string) (nodeRuntime, bool) {
	var pinned struct {
		Node      string                 `json:"node"`      // version of Node.js
		Platforms map[string]nodeRuntime `json:"platforms"` // key: GOOS/GOARCH
	}
	if atomicfile.ReadJSON(filepath.Join(sources, runtimeFile), &pinned) != nil {
		return nodeRuntime{}, false
	}
	found := pinned.Platforms[runtime.GOOS+"/"+runtime.GOARCH]
	found.version = pinned.Node
	if found.Loader != "" {
		if _, err := os.Stat(found.Loader); err != nil {
			return nodeRuntime{}, false
		}
	}
	return found, found.Package != "" && found.Integrity != "" && versionPattern.FindString(found.version) == found.version
}

// dir returns the directory in which the pinned Node.js is installed.
func (r nodeRuntime) dir(packages string) string {
	return filepath.Join(packages, runtimePrefix+r.version)
}

const runtimePrefix = "node-"

func (r nodeRuntime) program(packages string) string {
	return filepath.Join(r.dir(packages), nodeProgram())
}

func nodeProgram() string {
	if runtime.GOOS == "windows" {
		return "node.exe"
	}
	return "node"
}

// install downloads the pinned Node.js to the directory work, moves it to packages, and removes earlier versions.
// Afterwards either the whole program is there, or nothing.
func (r nodeRuntime) install(ctx context.Context, packages, work string, progress io.Writer) error {
	from := archive{packageAddress(r.Package, r.version), r.Integrity}
	_, _ = fmt.Fprintf(progress, "downloading Node.js %s, %d MB: %s\n", r.version, r.Bytes/1_000_000, from.address)
	unpacked := filepath.Join(work, "node")
	err := from.install(ctx, unpacked, func(name string) string {
		switch name {
		case "bin/" + nodeProgram():
			return nodeProgram()
		case "LICENSE":
			return name
		}
		return ""
	})
	if err == nil {
		_, err = os.Stat(filepath.Join(unpacked, nodeProgram()))
	}
	if err != nil {
		return fmt.Errorf("install Node.js: %w", err)
	}
	old, _ := filepath.Glob(filepath.Join(packages, runtimePrefix+"*"))
	for _, dir := range old {
		_ = os.RemoveAll(dir) // fails on Windows while it runs; the next version's installation removes it
	}
	return os.Rename(unpacked, r.dir(packages))
}

const (
	// stagingPrefix is the prefix of the directories in which installations prepare their files.
	stagingPrefix = ".installing-"
	npmRegistry   = "https://registry.npmjs.org"
)

// packageAddress returns the URL of a package in npm's registry, or in the registry of npm_config_registry. Either is
// safe, because every package is checked against its hash.
func packageAddress(name, version string) string {
	registry := cmp.Or(os.Getenv("npm_config_registry"), os.Getenv("NPM_CONFIG_REGISTRY"), npmRegistry)
	return fmt.Sprintf("%s/%s/-/%s-%s.tgz", strings.TrimRight(registry, "/"), name, name[strings.LastIndex(name, "/")+1:], version)
}
