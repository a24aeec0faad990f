// Package enginetest gives tests a real SurrealDB: one in-memory engine for each test process, or one for all of them.
//
// It starts and stops the engine, and returns its address and the names of unused databases. It fakes nothing: without
// Node.js it skips the test, or fails it if the environment variable CI is set.
package enginetest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
)

// SharedVariable is the environment variable with the path of a JSON file that has the url, user and pass of a running
// engine. scripts/testengine sets it.
const SharedVariable = "MEMORY_TEST_ENGINE"

const (
	installLimit = 10 * time.Minute // the packages are a download of 71 MB
	startLimit   = time.Minute
	stopLimit    = 10 * time.Second
	healthPoll   = 20 * time.Millisecond
)

var shared struct {
	sync.Mutex
	asked    bool
	stop     func()
	atEnd    []func()
	endpoint engine.Endpoint
	err      error
}

// Endpoint returns the engine of this test process, which the first call starts.
func Endpoint(t testing.TB) engine.Endpoint {
	t.Helper()
	endpoint, err := Shared()
	Check(t, err)
	return endpoint
}

// Shared is Endpoint for callers without a test.
func Shared() (engine.Endpoint, error) {
	shared.Lock()
	defer shared.Unlock()
	if !shared.asked {
		shared.asked = true
		shared.endpoint, shared.stop, shared.err = Open()
	}
	return shared.endpoint, shared.err
}

// Check skips a test if err is ErrNoEngine and CI is not set, and fails it for any other error.
func Check(t interface {
	Helper()
	Skip(args ...any)
	Fatal(args ...any)
}, err error,
) {
	t.Helper()
	if errors.Is(err, engine.ErrNoEngine) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Database returns the names of a namespace and database that do not exist yet.
func Database(t testing.TB) (namespace, database string) {
	t.Helper()
	return "test", "t_" + strings.ToLower(rand.Text())
}

// Runner runs tests, as *testing.M does.
type Runner interface{ Run() int }

// Wrap returns a runner that stops the engine of this process when the tests have ended:
//
//	func TestMain(m *testing.M) { os.Exit(enginetest.Wrap(m).Run()) }
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(enginetest.Wrap(m)) }
//
// Without it the engine also ends with the process.
func Wrap(m Runner) Runner { return wrapped{m} }

// Draw is Wrap for tests that draw so many examples (rapid), unless the flag says how many. It must be called before the flags are parsed.
func Draw(m Runner, examples int) Runner {
	if err := flag.Set("rapid.checks", strconv.Itoa(examples)); err != nil {
		panic(err) // no test of the package draws any
	}
	return Wrap(m)
}

type wrapped struct{ inner Runner }

// AtEnd registers a function to be called when the tests have ended, before the engine is stopped.
func AtEnd(call func()) {
	shared.Lock()
	defer shared.Unlock()
	shared.atEnd = append(shared.atEnd, call)
}

func (w wrapped) Run() int {
	defer func() {
		stopErrands()
		shared.Lock()
		defer shared.Unlock()
		for _, call := range shared.atEnd {
			call()
		}
		if shared.stop != nil {
			shared.stop()
			shared.stop = nil
		}
	}()
	return w.inner.Run()
}

// Open returns the engine of SharedVariable, or starts an engine in memory that runs until stop. It installs the
// embedded engine if necessary.
func Open() (endpoint engine.Endpoint, stop func(), err error) {
	if path := os.Getenv(SharedVariable); path != "" {
		endpoint, err = ReadEndpoint(path)
		return endpoint, func() {}, err
	}
	return open(engine.Options{})
}

// SurrealVariable is the environment variable with the path of a surreal server, for tests on a separate server.
// Without it they use the surreal on the PATH.
const SurrealVariable = "MEMORY_TEST_SURREAL"

// ErrNoServer means that there is no surreal on the PATH or in SurrealVariable.
var ErrNoServer = errors.New("there is no surreal on the PATH or in " + SurrealVariable)

// OpenEmbedded is Open without SharedVariable.
func OpenEmbedded() (endpoint engine.Endpoint, stop func(), err error) { return open(engine.Options{}) }

// OpenServer starts a surreal server that keeps its data in memory. It fails with ErrNoServer if there is none.
func OpenServer() (endpoint engine.Endpoint, stop func(), err error) {
	program := os.Getenv(SurrealVariable)
	if program == "" {
		if program, err = exec.LookPath("surreal"); err != nil {
			return endpoint, nil, ErrNoServer
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return endpoint, nil, err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return endpoint, nil, err
	}
	endpoint = engine.Endpoint{URL: "ws://" + address, User: "memory", Pass: rand.Text()}
	command := exec.Command(program, "start", "--bind", address, "--log", "warn", "--no-banner", "memory")
	command.Env = append(os.Environ(), "SURREAL_USER="+endpoint.User, "SURREAL_PASS="+endpoint.Pass)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Start(); err != nil {
		return endpoint, nil, err
	}
	stop = func() {
		_ = command.Process.Kill() // the process may have ended already
		_ = command.Wait()
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	if err := waitHealthy(ctx, "http://"+address+"/health"); err != nil {
		stop()
		return endpoint, nil, err
	}
	return endpoint, stop, nil
}

// waitHealthy waits until a server reports that it is healthy.
func waitHealthy(ctx context.Context, address string) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Second}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	ticker := time.NewTicker(healthPoll)
	defer ticker.Stop()
	for {
		if response, err := client.Do(request); err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

func open(options engine.Options) (endpoint engine.Endpoint, stop func(), err error) {
	sources, packages, err := Dirs()
	if err != nil {
		return endpoint, nil, err
	}
	runDir, err := os.MkdirTemp("", "memory-engine-")
	if err != nil {
		return endpoint, nil, err
	}
	removeRunDir := func() { _ = os.RemoveAll(runDir) } // a temporary directory, so errors do not matter
	options.InMemory, options.RunDir, options.Sources, options.Packages, options.Output = true, runDir, sources, packages, os.Stderr
	supervisor, err := start(options)
	if err != nil {
		removeRunDir()
		return endpoint, nil, err
	}
	stop = func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
		defer cancel()
		supervisor.Stop(ctx)
		removeRunDir()
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	endpoint, err = supervisor.Endpoint(ctx)
	if err != nil {
		stop()
		return endpoint, nil, err
	}
	return endpoint, stop, nil
}

func start(options engine.Options) (*engine.Supervisor, error) {
	supervisor, err := engine.Start(context.Background(), options)
	if !errors.Is(err, engine.ErrNotInstalled) {
		return supervisor, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), installLimit)
	defer cancel()
	options.Output = os.Stderr
	if err := engine.Install(ctx, options); err != nil {
		return nil, err
	}
	return engine.Start(context.Background(), options)
}

// DirVariable is the product's environment variable with the directory of the embedded engine's packages.
const DirVariable = "MEMORY_ENGINE_DIR"

// NoRegistry is an environment variable that prevents downloads: its npm registry is a closed port on loopback.
const NoRegistry = "npm_config_registry=http://127.0.0.1:9/"

// Setting returns DirVariable for the environment of a tested program, so that it uses the packages that are installed
// once for the checkout, whatever its home.
func Setting() string {
	_, packages, err := Dirs()
	if err != nil {
		packages = os.Getenv(DirVariable)
	}
	return DirVariable + "=" + packages
}

// Dirs returns the directory of the embedded engine's own files in the checkout of the working directory, and the
// directory of its packages: .build/engine in the checkout, or the value of DirVariable.
func Dirs() (sources, packages string, err error) {
	sources, err = EngineDir()
	if err != nil {
		return "", "", err
	}
	packages = os.Getenv(DirVariable)
	if packages == "" {
		packages = filepath.Join(filepath.Dir(filepath.Dir(sources)), ".build", "engine")
	}
	return sources, packages, nil
}

// EngineDir returns the directory plugin/engine in the checkout of the working directory.
func EngineDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		candidate := filepath.Join(dir, "plugin", "engine")
		if _, err := os.Stat(filepath.Join(candidate, "server.mjs")); err == nil {
			return candidate, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("enginetest: plugin/engine is in no directory above the working directory")
		}
		dir = parent
	}
}

type endpointFile struct {
	URL  string `json:"url"`
	User string `json:"user"`
	Pass string `json:"pass"`
}

// ReadEndpoint reads the file that SharedVariable names.
func ReadEndpoint(path string) (engine.Endpoint, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return engine.Endpoint{}, fmt.Errorf("read the shared test engine: %w", err)
	}
	var found endpointFile
	if err := json.Unmarshal(content, &found); err != nil {
		return engine.Endpoint{}, fmt.Errorf("read the shared test engine from %s: %w", path, err)
	}
	return engine.Endpoint{URL: found.URL, User: found.User, Pass: found.Pass}, nil
}

// WriteEndpoint writes a file for SharedVariable, readable only by its owner.
func WriteEndpoint(path string, endpoint engine.Endpoint) error {
	content, err := json.Marshal(endpointFile{URL: endpoint.URL, User: endpoint.User, Pass: endpoint.Pass})
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}
