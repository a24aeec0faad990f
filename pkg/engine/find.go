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
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/private"
)

const (
	surrealMajor  = 3
	newestMajor   = 4
	oldestNode    = 20
	probeLimit    = 3 * time.Second  // a surreal takes 0.15 s to answer
	versionLimit  = 10 * time.Second // a program that takes longer to say its version is broken
	serverFile    = "server.mjs"
	lockFile      = "package-lock.json"
	manifestFile  = "package.json"
	packagesDir   = "node_modules"
	installedFile = ".installed" // inside packagesDir; holds the SHA-256 of the lock file that was installed
)

// Find chooses an engine and starts none. It returns ErrNoEngine or ErrNotInstalled, both with the
// engines passed over and why, a *MoveError or an *OlderError if the data belongs to an engine that is
// not here, or another error for a URL it cannot use.
func Find(ctx context.Context, options Options) (Choice, error) {
	options = options.withDefaults()
	if options.Remote.URL != "" {
		return findRemote(options.Remote.URL)
	}
	s := search{ctx: ctx, options: options}
	if options.DataPath != "" && !options.InMemory {
		made, found, err := ReadMade(options.DataPath)
		if err != nil {
			return Choice{}, err
		}
		if found {
			return s.forData(made)
		}
	}
	if options.For != nil {
		if choice, ok := s.same(*options.For); ok {
			return choice, nil
		}
		s.known, s.passedOver, s.found = "", nil, nil
	}
	return s.forNewData()
}

// search looks for engines, each once.
type search struct {
	ctx        context.Context
	options    Options
	known      string // path of the binary that made the data
	passedOver []string
	found      []Choice
}

// forNewData takes the first engine in the order of choice. SurrealDB 4 comes last: it was never tried.
func (s *search) forNewData() (Choice, error) {
	late := -1
	for _, choice := range s.binaries() {
		if major(choice.Version) <= surrealMajor {
			return s.chosen(choice), nil
		}
		late = len(s.found)
		s.found = append(s.found, choice)
	}
	embedded, err := s.embedded()
	if err != nil && late >= 0 {
		return s.chosen(s.found[late]), nil
	}
	if late >= 0 {
		s.passOver("%s: version %s, and %d.x goes before it", s.found[late].Path, s.found[late].Version, surrealMajor)
	}
	return s.chosen(embedded), s.named(err)
}

// forData takes the engine that the data belongs to.
func (s *search) forData(made Made) (Choice, error) {
	choice, ok := s.same(made)
	if ok {
		return choice, nil
	}
	for _, newer := range s.found {
		if made.isOlder(newer.Made()) {
			return s.chosen(newer), &MoveError{From: made, To: newer}
		}
	}
	embedded, err := s.embedded()
	switch {
	case errors.Is(err, ErrNotInstalled) && embedded.Made().Generation() == made.Generation():
		return s.chosen(embedded), err
	case errors.Is(err, ErrNotInstalled):
		s.found = append(s.found, embedded)
	}
	if len(s.found) > 0 {
		return s.chosen(s.found[0]), &OlderError{Data: s.options.DataPath, From: made, Have: s.found[0].Made()}
	}
	return s.chosen(Choice{}), s.named(err)
}

// same looks for an engine with the same format as the given one, the kind of that one first.
func (s *search) same(made Made) (Choice, bool) {
	s.known = made.Program
	places := []func() []Choice{s.binaries, s.embeddedOnes}
	if made.Kind == Embedded {
		slices.Reverse(places)
	}
	for _, place := range places {
		for _, choice := range place() {
			if choice.Made().Generation() == made.Generation() {
				return s.chosen(choice), true
			}
			s.found = append(s.found, choice)
			s.passOver("%s: SurrealDB %s, and the store was made by %s", choice.Path, choice.Version, made)
		}
	}
	return Choice{}, false
}

// embeddedOnes is the embedded engine, if it can be started.
func (s *search) embeddedOnes() []Choice {
	if choice, err := s.embedded(); err == nil {
		return []Choice{choice}
	}
	return nil
}

func (s *search) passOver(format string, args ...any) {
	s.passedOver = append(s.passedOver, fmt.Sprintf(format, args...))
}

func (s *search) chosen(choice Choice) Choice {
	choice.PassedOver = s.passedOver
	return choice
}

// named adds the engines that were passed over to ErrNoEngine.
func (s *search) named(err error) error {
	if errors.Is(err, ErrNoEngine) && len(s.passedOver) > 0 {
		return fmt.Errorf("%w (passed over %s)", err, strings.Join(s.passedOver, "; "))
	}
	return err
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

// binaries are the usable surreal binaries: the known one first, if it is there.
func (s *search) binaries() []Choice {
	onPath, _ := s.options.LookPath("surreal")
	candidates := []string{s.known, onPath}
	if s.options.HomeDir != "" {
		candidates = append(candidates, filepath.Join(s.options.HomeDir, ".surrealdb", "surreal"))
		candidates = append(candidates, components(s.options.HomeDir)...)
	}
	var usable []Choice
	for i, path := range candidates {
		if _, err := os.Stat(path); err != nil || slices.Contains(candidates[:i], path) {
			continue
		}
		if err := private.Program(path); err != nil {
			s.passOver("%s: %v", path, err)
			continue
		}
		if choice, ok := s.binary(path); ok {
			usable = append(usable, choice)
		}
	}
	return usable
}

// componentFile is the database that today's launcher, surreal, has installed, each version in a folder of its own.
const componentFile = "surreal-db"

// components are the launcher's databases, the newest first.
func components(home string) []string {
	found, err := filepath.Glob(filepath.Join(home, ".surrealdb", "components", "db", "*", componentFile+"*"))
	if err != nil {
		return nil // a home with a bracket in its path; the launcher's database can be put on the PATH
	}
	found = slices.DeleteFunc(found, func(path string) bool {
		return strings.TrimSuffix(filepath.Base(path), ".exe") != componentFile ||
			!versionPattern.MatchString(filepath.Base(filepath.Dir(path)))
	})
	slices.SortFunc(found, func(a, b string) int {
		newer, older := numbers(filepath.Base(filepath.Dir(b))), numbers(filepath.Base(filepath.Dir(a)))
		return slices.Compare(newer[:], older[:])
	})
	return found
}

// errLauncher says that a surreal is no database, but starts one that it has installed.
var errLauncher = errors.New("it is the launcher; the database that it installs is looked for in ~/.surrealdb/components/db (surreal start installs it)")

// versionOf is the version of a database's program. That of a component is also the name of its folder.
func (s *search) versionOf(path string) (string, error) {
	version, err := askVersion(s.ctx, path, "version")
	if folder := filepath.Base(filepath.Dir(path)); err != nil && !errors.Is(err, errLauncher) &&
		filepath.Base(path) != "surreal" && versionPattern.MatchString(folder) {
		return strings.TrimPrefix(folder, "v"), nil
	}
	return version, err
}

func (s *search) binary(path string) (Choice, bool) {
	version, err := s.versionOf(path)
	choice := Choice{Kind: Binary, Path: path, Version: version, Storage: RocksDB}
	switch {
	case err != nil:
		s.passOver("%s: %v", path, err)
		return choice, false
	case major(version) < surrealMajor || major(version) > newestMajor:
		s.passOver("%s: version %s, and %d.x is needed", path, version, surrealMajor)
		return choice, false
	case strings.Contains(version, "-"):
		s.passOver("%s: version %s is not a release", path, version)
		return choice, false
	case major(version) > surrealMajor:
		choice.Storage = SurrealKV // 4 has no RocksDB any more
	case s.known == path: // it has opened the data before
	case !hasRocksDB(s.ctx, path):
		s.passOver("%s: version %s was built without RocksDB, which the store is kept in; the one from https://surrealdb.com/install has it", path, version)
		return choice, false
	}
	return choice, true
}

// hasRocksDB makes the binary open a database at an impossible place: it ends at once,
// and its message tells whether it supports RocksDB.
func hasRocksDB(ctx context.Context, path string) bool {
	nowhere := RocksDB + "://" + filepath.Join(os.DevNull, "none")
	stdout, stderr, _ := ask(ctx, probeLimit, path, "start", "--no-banner", "--log", "error", "--bind", "127.0.0.1:0", nowhere) // it fails, and its message counts
	said := stdout + stderr
	return !strings.Contains(said, "not enabled in this build") && !strings.Contains(said, "valid database path")
}

// errNoNode reports that no Node.js is here that can run the embedded engine. One may be pinned, to be downloaded.
var errNoNode = errors.New("there is no Node.js here yet")

// node is a program that runs the embedded engine.
type node struct {
	path    string
	version string
	isUsers bool // and not the pinned one, which has no npm
}

// node finds the user's Node.js, or the pinned one if that was downloaded. Else it returns errNoNode.
func (s *search) node() (node, error) {
	if path, err := s.options.LookPath("node"); err == nil {
		version, err := askVersion(s.ctx, path, "--version")
		switch {
		case err != nil:
			s.passOver("%s: %v", path, err)
		case major(version) < oldestNode:
			s.passOver("%s: version %s, and %d or newer is needed", path, version, oldestNode)
		default:
			return node{path, version, true}, nil
		}
	}
	pinned, ok := readRuntime(s.options.Sources)
	if !ok {
		return node{}, errNoNode
	}
	found := node{path: pinned.program(s.options.Packages), version: pinned.version}
	if _, err := os.Stat(found.path); err != nil {
		return found, errNoNode
	}
	if err := private.Program(found.path); err != nil {
		s.passOver("%s: %v", found.path, err)
		return found, errNoNode
	}
	return found, nil
}

// embedded returns the embedded engine. With ErrNotInstalled its own files are there, and Install downloads the rest.
func (s *search) embedded() (Choice, error) {
	choice := Choice{Kind: Embedded, Storage: RocksDB}
	found, nodeErr := s.node()
	if nodeErr != nil && found.version == "" {
		return Choice{}, ErrNoEngine
	}
	choice.Node, choice.node = found.version, found.path
	var err error
	choice.Version, err = embeddedVersion(s.options.Sources)
	if err != nil {
		return choice, err
	}
	if nodeErr != nil {
		return choice, fmt.Errorf("%w in %s: %w", ErrNotInstalled, s.options.Packages, nodeErr)
	}
	if !isInstalled(s.options.Packages, s.options.Sources) {
		return choice, fmt.Errorf("%w in %s", ErrNotInstalled, s.options.Packages)
	}
	choice.Path = s.options.Packages
	return choice, nil
}

// launcherPattern is how the table of versions begins that today's launcher prints.
var launcherPattern = regexp.MustCompile(`^\W*cli\W+\d`)

func askVersion(ctx context.Context, path, argument string) (string, error) {
	answer, _, err := ask(ctx, versionLimit, path, argument)
	if err != nil {
		return "", fmt.Errorf("%s failed: %w", argument, err)
	}
	if launcherPattern.MatchString(answer) {
		return "", errLauncher
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
