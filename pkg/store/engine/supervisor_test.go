//go:build unix

package engine_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	surrealdb "github.com/surrealdb/surrealdb.go"
	"github.com/surrealdb/surrealdb.go/pkg/connection"
	"github.com/surrealdb/surrealdb.go/pkg/connection/gws"
	"github.com/surrealdb/surrealdb.go/pkg/logger"
	"github.com/surrealdb/surrealdb.go/pkg/models"
	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// patience limits every wait in these tests.
const patience = 30 * time.Second

// helperVariable turns this test binary into a supervisor that the test kills; it has the engine's options as JSON.
const helperVariable = "ENGINE_TEST_SUPERVISE"

// registry is npm's as the user has set it; empty: the public one.
var registry = os.Getenv("npm_config_registry")

func TestMain(m *testing.M) {
	if options := os.Getenv(helperVariable); options != "" {
		superviseUntilKilled(options)
	}
	// An engine that a busy machine does not find would have Node.js downloaded into the packages of the checkout.
	name, closed, _ := strings.Cut(enginetest.NoRegistry, "=")
	if err := os.Setenv(name, closed); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(enginetest.Wrap(m))
}

type helperOptions struct{ DataPath, RunDir, Sources, Packages string }

func (h helperOptions) engine() engine.Options {
	return engine.Options{DataPath: h.DataPath, RunDir: h.RunDir, Sources: h.Sources, Packages: h.Packages, Output: os.Stderr}
}

// withNode finds the real npm, and the given program as node.
func withNode(path string) func(string) (string, error) {
	return func(name string) (string, error) {
		if name == "node" {
			return path, nil
		}
		return exec.LookPath(name)
	}
}

func superviseUntilKilled(encoded string) {
	var given helperOptions
	err := json.Unmarshal([]byte(encoded), &given)
	if err == nil {
		var supervisor *engine.Supervisor
		if supervisor, err = engine.Start(context.Background(), given.engine()); err == nil {
			if _, err = supervisor.Endpoint(context.Background()); err == nil {
				fmt.Println(supervisor.State().PID)
				select {}
			}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func needNode(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil && os.Getenv("CI") == "" {
		t.Skip("Node.js is not installed")
	}
}

// localOptions returns those of an embedded engine with its own data.
func localOptions(t *testing.T) engine.Options {
	t.Helper()
	needNode(t)
	sources, packages, err := enginetest.Dirs()
	musttest.Do(t, err)
	base := t.TempDir()
	options := engine.Options{
		DataPath: filepath.Join(base, "a place", "data"), RunDir: filepath.Join(base, "run"), Sources: sources, Packages: packages,
		Output: t.Output(), Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	musttest.Do(t, os.Mkdir(filepath.Dir(options.DataPath), 0o700))
	options.Output = t.Output()
	musttest.Do(t, engine.Install(t.Context(), options))
	return options
}

func start(t *testing.T, options engine.Options) *engine.Supervisor {
	t.Helper()
	supervisor := musttest.Get(engine.Start(t.Context(), options))(t)
	t.Cleanup(func() { stop(t, supervisor) })
	return supervisor
}

func stop(t *testing.T, supervisor *engine.Supervisor) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	supervisor.Stop(ctx)
}

func endpointOf(t *testing.T, supervisor *engine.Supervisor) engine.Endpoint {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	endpoint := musttest.Get(supervisor.Endpoint(ctx))(t)
	return endpoint
}

// open connects to an engine without signing in.
func open(t *testing.T, endpoint engine.Endpoint) *surrealdb.DB {
	t.Helper()
	address := musttest.Get(url.Parse(endpoint.URL))(t)
	config := connection.NewConfig(address)
	config.Logger = logger.New(slog.NewTextHandler(io.Discard, nil))
	db := musttest.Get(surrealdb.FromConnection(t.Context(), gws.New(config)))(t)
	t.Cleanup(func() { _ = db.Close(context.Background()) }) // the engine may be gone
	return db
}

func connect(t *testing.T, endpoint engine.Endpoint) *surrealdb.DB {
	t.Helper()
	db := open(t, endpoint)
	musttest.Get(db.SignIn(t.Context(), surrealdb.Auth{Username: endpoint.User, Password: endpoint.Pass}))(t)
	musttest.Do(t, db.Use(t.Context(), "test", "test"))
	return db
}

func query(t *testing.T, db *surrealdb.DB, statement string) any {
	t.Helper()
	results := musttest.Get(surrealdb.Query[any](t.Context(), db, statement, nil))(t)
	return (*results)[len(*results)-1].Result
}

// eventually polls until the condition holds.
func eventually(t *testing.T, event string, condition func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for !condition() {
		select {
		case <-ctx.Done():
			t.Fatalf("waited %s for: %s", patience, event)
		case <-ticker.C:
		}
	}
}

// runs reports whether a process exists that is not a zombie.
func runs(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat("/proc/self/stat"); err != nil { // not Linux
			return syscall.Kill(pid, 0) == nil
		}
		return false
	}
	_, state, _ := strings.Cut(string(status), ") ")
	return err == nil && !strings.HasPrefix(state, "Z")
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if pid <= 1 {
		t.Fatalf("no process to kill: %d", pid)
	}
	musttest.Do(t, syscall.Kill(pid, syscall.SIGKILL))
}

func TestEngineKeepsDataAndLeavesNoProcess(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-secret")
	options := localOptions(t)
	first := start(t, options)
	endpoint := endpointOf(t, first)
	checkAnswers(t, endpoint, map[string]string{"/health": "", "/version": "surrealdb-3."})
	checkRecord(t, options, first.State().PID, endpoint)
	db := connect(t, endpoint)
	query(t, db, "CREATE note:1 SET text = 'kept'")
	version := musttest.Get(db.Version(t.Context()))(t)
	if noted, err := engine.ReadDataFormat(options.DataPath); err != nil || noted != strings.TrimPrefix(version.Version, "surrealdb-") {
		t.Errorf("the data is noted as that of %s (%v), the engine is %s", noted, err, version.Version)
	}

	pid := first.State().PID
	if environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); err == nil && strings.Contains(string(environment), "sk-secret") {
		t.Error("the engine sees the API key")
	}
	stop(t, first)
	if runs(pid) {
		t.Errorf("process %d still runs after Stop", pid)
	}
	musttest.Is(t, fs.ErrNotExist, musttest.Err(os.Stat(filepath.Join(options.RunDir, "engine.json"))), "engine.json after Stop")
	musttest.Says(t, "was stopped", musttest.Err(first.Endpoint(t.Context())), "Endpoint after Stop")

	// Its process id may be that of another program by now.
	other := exec.CommandContext(t.Context(), "sleep", "600")
	musttest.Do(t, other.Start())
	t.Cleanup(func() { _, _ = other.Process.Kill(), other.Wait() }) // it was killed
	record := fmt.Sprintf(`{"pid":%d,"data":"rocksdb://%s"}`, other.Process.Pid, options.DataPath)
	musttest.Do(t, os.WriteFile(filepath.Join(options.RunDir, "engine.json"), []byte(record), 0o600))
	second := start(t, options)
	again := endpointOf(t, second)
	if !runs(other.Process.Pid) {
		t.Error("a process that is not ours was ended")
	}
	if again.Pass == endpoint.Pass || len(again.Pass) < 26 {
		t.Error("the password is not a new one")
	}
	musttest.Same(t, "kept", query(t, connect(t, again), "SELECT VALUE text FROM ONLY note:1"), "the data after a restart")
}

func checkAnswers(t *testing.T, endpoint engine.Endpoint, paths map[string]string) {
	t.Helper()
	for path, want := range paths {
		request := musttest.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, "http"+strings.TrimPrefix(endpoint.URL, "ws")+path, http.NoBody))(t)
		request.Close = true
		response := musttest.Get(http.DefaultClient.Do(request))(t)
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close() // it was read
		if err != nil || response.StatusCode != http.StatusOK || !strings.HasPrefix(string(body), want) {
			t.Errorf("%s: %s %q %v", path, response.Status, body, err)
		}
	}
}

func checkRecord(t *testing.T, options engine.Options, pid int, endpoint engine.Endpoint) {
	t.Helper()
	path := filepath.Join(options.RunDir, "engine.json")
	for file, mode := range map[string]fs.FileMode{path: 0o600, options.RunDir: 0o700, options.DataPath: 0o700} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v, want mode %o", file, info, err, mode)
		}
	}
	content := musttest.Get(os.ReadFile(path))(t)
	for _, part := range []string{strconv.Itoa(pid), endpoint.URL, endpoint.Pass} {
		if !strings.Contains(string(content), part) {
			t.Errorf("engine.json lacks %s", part)
		}
	}
	if arguments, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && strings.Contains(string(arguments), endpoint.Pass) {
		t.Error("the password is in the arguments")
	}
}

// asked starts a supervisor that queries its engine.
func asked(t *testing.T, options engine.Options) *engine.Supervisor {
	t.Helper()
	var supervisor *engine.Supervisor
	conn := wire.Open(wire.Options{
		Locate:    func(ctx context.Context) (engine.Endpoint, error) { return supervisor.Endpoint(ctx) }, // it is started below
		Namespace: "test", Database: "test",
	})
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	started := make(chan struct{})
	options.Ask = func(ctx context.Context) error {
		<-started
		return conn.Answers(ctx)
	}
	supervisor = start(t, options)
	close(started)
	return supervisor
}

// muteEngine returns a Node.js that in its first run reports to be healthy but answers no query; later it works.
func muteEngine(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	server := filepath.Join(dir, "mute.js")
	err := os.WriteFile(server, []byte(`
const { createHash } = require("node:crypto");
const server = require("node:http")
  .createServer((request, response) => response.end())
  .on("upgrade", (request, socket) => {
    const accept = createHash("sha1").update(request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64");
    socket.on("error", () => {}).write(["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
      "Sec-WebSocket-Protocol: cbor", "Sec-WebSocket-Accept: " + accept, "", ""].join("\r\n"));
  })
  .listen(0, "127.0.0.1", () => console.log(JSON.stringify({ port: server.address().port })));
process.stdin.on("end", () => process.exit()).resume();
`), 0o600)
	musttest.Do(t, err)
	node := musttest.Get(exec.LookPath("node"))(t)
	return writeProgram(t, dir, "node", fmt.Sprintf(`
[ "$2" = --data ] && mkdir %q 2>/dev/null && touch "${3#rocksdb://}/LOCK" && exec %q %q
exec %q "$@"`, filepath.Join(dir, "was mute"), node, server, node))
}

// An engine whose threads block each other still reports to be healthy.
func TestAnEngineThatAnswersNoQueryIsReplaced(t *testing.T) {
	t.Parallel()
	options := localOptions(t)
	options.LookPath = withNode(muteEngine(t))
	supervisor := asked(t, options)
	checkAnswers(t, endpointOf(t, supervisor), map[string]string{"/health": ""})
	mute := supervisor.State().PID
	eventually(t, "the supervisor to report that it does not answer", func() bool { return !supervisor.State().UnresponsiveSince.IsZero() })
	eventually(t, "another process", func() bool { return supervisor.State().PID != 0 && supervisor.State().PID != mute })
	query(t, connect(t, endpointOf(t, supervisor)), "CREATE note:1")
	eventually(t, "the end of the silence", func() bool { return supervisor.State().UnresponsiveSince.IsZero() })
	if err := supervisor.State().Err; err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("the engine was ended because of %v, want that it did not answer", err)
	}
}

// TestAnEngineIsReplacedAndKeepsItsData when it was killed, when it hangs, which does not end it, and for a long transaction, until
// whose end it has large write buffers.
func TestAnEngineIsReplacedAndKeepsItsData(t *testing.T) {
	t.Parallel()
	supervisor := asked(t, localOptions(t))
	query(t, connect(t, endpointOf(t, supervisor)), "CREATE note:1 SET text = 'kept'")
	pid := supervisor.State().PID
	kept := func(after string) {
		t.Helper()
		eventually(t, "another process", func() bool { return supervisor.State().PID != 0 && supervisor.State().PID != pid })
		got := query(t, connect(t, endpointOf(t, supervisor)), "SELECT VALUE text FROM ONLY note:1")
		musttest.Same[any](t, "kept", got, "the data after %s", after)
		pid = supervisor.State().PID
	}
	kill(t, pid)
	kept("it was killed")
	if state := supervisor.State(); state.Restarts != 1 || state.Err == nil || !strings.Contains(state.Err.Error(), "signal: killed") {
		t.Errorf("%d restarts, last error %v", state.Restarts, state.Err)
	}
	musttest.Do(t, syscall.Kill(pid, syscall.SIGSTOP))
	kept("it hung")
	buffers := func(want string) {
		t.Helper()
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if runtime.GOOS == "linux" && (err != nil || !strings.Contains(string(content), "SURREAL_ROCKSDB_MAX_WRITE_BUFFER_NUMBER="+want+"\x00")) {
			t.Errorf("%v; the engine has not %s buffers", err, want)
		}
	}
	restore := supervisor.EnlargeBuffers()
	kept("it was enlarged")
	buffers("32")
	restore()
	kept("it was restored")
	buffers("4")
}

// TestAnEngineEndsWithoutItsSupervisor: by itself when the supervisor is killed, and by the next one otherwise.
func TestAnEngineEndsWithoutItsSupervisor(t *testing.T) {
	t.Parallel()
	options := localOptions(t)
	given := helperOptions{DataPath: options.DataPath, RunDir: options.RunDir, Sources: options.Sources, Packages: options.Packages}
	pid, killHelper := runHelper(t, given)
	if !runs(pid) {
		t.Fatalf("the engine %d does not run", pid)
	}
	musttest.Says(t, "already runs the engine of this home", musttest.Err(engine.Start(t.Context(), given.engine())), "a second supervisor")
	killHelper()
	eventually(t, "the end of the engine", func() bool { return !runs(pid) })

	dead := exec.CommandContext(t.Context(), "true")
	musttest.Do(t, dead.Run())
	path := filepath.Join(options.RunDir, "engine.json")
	data := "rocksdb://" + options.DataPath
	writeLeftover := func(pid int) {
		record := fmt.Sprintf(`{"user":"memory","pass":"old","pid":%d,"owner":%d,"data":%q}`, pid, dead.Process.Pid, data)
		musttest.Do(t, os.WriteFile(path, []byte(record), 0o600))
	}
	writeLeftover(1)
	orphan := exec.CommandContext(t.Context(), "node", filepath.Join(options.Packages, "server.mjs"), "--data", data, "--secret-file", path)
	orphan.WaitDelay = patience
	musttest.Get(orphan.StdinPipe())(t)
	output := musttest.Get(orphan.StdoutPipe())(t)
	musttest.Do(t, orphan.Start())
	musttest.Get(fmt.Fscanln(output, new(string)))(t)
	writeLeftover(orphan.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- orphan.Wait() }()
	endpointOf(t, start(t, options))
	musttest.Is(t, nil, <-ended, "the orphan was not ended in an orderly way")
}

// runHelper runs a supervisor in another process and returns the process id of its engine.
func runHelper(t *testing.T, given helperOptions) (pid int, killHelper func()) {
	t.Helper()
	encoded := musttest.Get(json.Marshal(given))(t)
	helper := exec.CommandContext(t.Context(), os.Args[0])
	helper.Env = append(os.Environ(), helperVariable+"="+string(encoded))
	helper.Stderr = t.Output()
	helper.WaitDelay = patience
	output := musttest.Get(helper.StdoutPipe())(t)
	musttest.Do(t, helper.Start())
	if _, err := fmt.Fscanln(output, &pid); err != nil {
		t.Fatalf("the helper printed no process id: %v", err)
	}
	return pid, func() {
		kill(t, helper.Process.Pid)
		_ = helper.Wait() // it was killed
	}
}

func TestEndpointExplainsWhyTheEngineIsNotUp(t *testing.T) {
	t.Parallel()
	options := localOptions(t)
	options.LookPath = withNode(writeProgram(t, t.TempDir(), "node", `[ "$1" = --version ] && { echo v20.0.0; exit; }; echo disk full >&2; exit 1`))
	supervisor := start(t, options)
	eventually(t, "a restart", func() bool { return supervisor.State().Restarts > 1 })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := supervisor.Endpoint(ctx)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "disk full") || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("error %v", err)
	}
}

// TestAnEngineIsVerifiedBeforeItIsUsed: one that lost data is never returned, however often it is restarted.
func TestAnEngineIsVerifiedBeforeItIsUsed(t *testing.T) {
	t.Parallel()
	options := localOptions(t)
	var isLost atomic.Bool
	options.Verify = func(context.Context, engine.Endpoint) error {
		if isLost.Load() {
			return memory.ErrDamaged
		}
		return nil
	}
	supervisor := start(t, options)
	endpointOf(t, supervisor)
	isLost.Store(true)
	kill(t, supervisor.State().PID)
	eventually(t, "two restarts", func() bool { return supervisor.State().Restarts > 1 })
	musttest.Is(t, memory.ErrDamaged, musttest.Err(supervisor.Endpoint(t.Context())), "the endpoint of an engine that lost data")
	isLost.Store(false)
	eventually(t, "an engine that lost nothing", func() bool { return supervisor.State().PID != 0 })
	endpointOf(t, supervisor)
}

func TestStopKillsAnEngineThatDoesNotListen(t *testing.T) {
	options := localOptions(t)
	pidFile := filepath.Join(t.TempDir(), "pids")
	options.LookPath = withNode(writeProgram(t, t.TempDir(), "node", fmt.Sprintf(
		`[ "$1" = --version ] && { echo v20.0.0; exit; }; trap '' TERM; sleep 600 & echo $$ $! > %[1]q.new; mv %[1]q.new %[1]q; while :; do wait; done`, pidFile)))
	supervisor := start(t, options)
	var shell, sleeper int
	eventually(t, "the process ids", func() bool {
		content, err := os.ReadFile(pidFile)
		if err != nil {
			return false
		}
		_, err = fmt.Sscan(string(content), &shell, &sleeper)
		return err == nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	supervisor.Stop(ctx)
	if runs(shell) {
		t.Errorf("process %d still runs after Stop", shell)
	}
	eventually(t, "the end of the engine's own child", func() bool { return !runs(sleeper) })
}

func TestRemote(t *testing.T) {
	runDir := filepath.Join(t.TempDir(), "run")
	want := engine.Endpoint{URL: "wss://db.example", User: "u", Pass: "p"}
	supervisor := start(t, engine.Options{Remote: want, RunDir: runDir})
	if got := endpointOf(t, supervisor); got != want || supervisor.State().PID != 0 {
		t.Errorf("got %+v, process %d", got, supervisor.State().PID)
	}
	stop(t, supervisor)
	musttest.Says(t, "was stopped", musttest.Err(supervisor.Endpoint(t.Context())), "Endpoint after Stop")
	musttest.Is(t, fs.ErrNotExist, musttest.Err(os.Stat(runDir)), "a remote server needs no run directory")
}

func TestStartRefusesADataPathItCannotName(t *testing.T) {
	for _, path := range []string{"", "/tmp/what?sync=never"} {
		options := localOptions(t)
		options.DataPath = path
		musttest.Says(t, "name a directory", musttest.Err(engine.Start(t.Context(), options)), "%q", path)
	}
}

// The following tests are about plugin/engine/server.mjs.

// ours starts our own server once for all the tests about it, whichever engine other tests use.
var ours = sync.OnceValues(func() (engine.Endpoint, error) {
	endpoint, stop, err := enginetest.OpenEmbedded()
	if err == nil {
		enginetest.AtEnd(stop)
	}
	return endpoint, err
})

func servedByUs(t *testing.T) engine.Endpoint {
	t.Helper()
	endpoint, err := ours()
	enginetest.Check(t, err)
	return endpoint
}

func TestServerRefusesWhoeverIsNotSignedIn(t *testing.T) {
	endpoint := servedByUs(t)
	db := open(t, endpoint)
	refused := func(attempt string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "There was a problem with authentication") {
			t.Errorf("%s: %v, want it refused", attempt, err)
		}
	}
	ask := func(statement string) error {
		_, err := surrealdb.Query[any](t.Context(), db, statement, nil)
		return err
	}
	refused("a query", ask("RETURN 1"))
	refused("use", db.Use(t.Context(), "test", "test"))
	_, err := db.Attach(t.Context())
	refused("attach", err)
	for _, auth := range []surrealdb.Auth{{Username: endpoint.User, Password: "wrong"}, {Username: "root", Password: endpoint.Pass}, {}} {
		_, err := db.SignIn(t.Context(), auth)
		refused("sign-in", err)
	}
	refused("a token that was made up", db.Authenticate(t.Context(), "made-up"))
	refused("a query after all that", ask("RETURN 1"))
	musttest.Is(t, nil, musttest.Err(db.Version(t.Context())), "version")

	token := musttest.Get(db.SignIn(t.Context(), surrealdb.Auth{Username: endpoint.User, Password: endpoint.Pass}))(t)
	musttest.Do(t, ask("RETURN 1"))
	musttest.Do(t, db.Invalidate(t.Context()))
	refused("a query after invalidate", ask("RETURN 1"))
	musttest.Do(t, db.Authenticate(t.Context(), token))
	musttest.Do(t, ask("RETURN 1"))
}

func TestServerOverHTTP(t *testing.T) {
	endpoint := servedByUs(t)
	namespace, database := enginetest.Database(t)
	db := musttest.Get(surrealdb.FromEndpointURLString(t.Context(), "http"+strings.TrimPrefix(endpoint.URL, "ws")))(t)
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	musttest.Do(t, db.Use(t.Context(), namespace, database))
	musttest.Fails(t, musttest.Err(surrealdb.Query[any](t.Context(), db, "RETURN 1", nil)), "a query before the sign-in was answered")
	musttest.Get(db.SignIn(t.Context(), surrealdb.Auth{Username: endpoint.User, Password: endpoint.Pass}))(t)
	query(t, db, "CREATE note:1")
	musttest.Same(t, "1", fmt.Sprint(query(t, db, "RETURN count(SELECT * FROM note)")), "how many notes there are")
}

func TestServerRefusesBrowsersAndNonsense(t *testing.T) {
	endpoint := servedByUs(t)
	address := "http" + strings.TrimPrefix(endpoint.URL, "ws")
	tests := []struct {
		name, method, path, origin, body string
		status                           int
		part                             string
	}{
		{"a page in a browser", http.MethodPost, "/rpc", "https://evil.example", "", http.StatusForbidden, ""},
		{"another path", http.MethodGet, "/sql", "", "", http.StatusNotFound, ""},
		{"an empty body", http.MethodPost, "/rpc", "", "", http.StatusOK, "Parse error"},
		{"no CBOR", http.MethodPost, "/rpc", "", "what?", http.StatusOK, "Parse error"},
		{"cut off", http.MethodPost, "/rpc", "", "\xa2\x62id\x01\x66meth", http.StatusOK, "Parse error"},
		{"a lying length", http.MethodPost, "/rpc", "", "\xbb\xff\xff\xff\xff\xff\xff\xff\xff\x62id", http.StatusOK, "Parse error"},
		{"nested without end", http.MethodPost, "/rpc", "", "\xa1\x62id" + strings.Repeat("\x81", 100_000), http.StatusOK, "nested too deeply"},
		{"no method", http.MethodPost, "/rpc", "", "\xa1\x62id\x01", http.StatusOK, "no method"},
		{"an unknown method", http.MethodPost, "/rpc", "", "\xa1\x66method\x64nope", http.StatusOK, "Method not found"},
		{"too large", http.MethodPost, "/rpc", "", strings.Repeat("x", 64<<20+1), http.StatusRequestEntityTooLarge, "too large"},
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			request := musttest.Get(http.NewRequestWithContext(t.Context(), test.method, address+test.path, strings.NewReader(test.body)))(t)
			request.SetBasicAuth(endpoint.User, endpoint.Pass)
			if test.origin != "" {
				request.Header.Set("Origin", test.origin)
			}
			response := musttest.Get(client.Do(request))(t)
			defer func() { _ = response.Body.Close() }() // it was read
			body, err := io.ReadAll(response.Body)
			if err != nil || response.StatusCode != test.status || !strings.Contains(string(body), test.part) {
				t.Errorf("%s %q %v, want %d with %q", response.Status, body, err, test.status, test.part)
			}
		})
	}
}

// A stranger sends much more than a sign-in needs. The server must close the connection before it has received everything.
func TestServerKeepsNothingLargeOfAStranger(t *testing.T) {
	endpoint := servedByUs(t)
	host := strings.TrimPrefix(endpoint.URL, "ws://")
	const announced = 60 << 20
	upgrade := "GET /rpc HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: cbor\r\n\r\n"
	frame := "\x82\xff" + string(binary.BigEndian.AppendUint64(nil, announced)) + "\x00\x00\x00\x00" // one masked binary message
	post := fmt.Sprintf("POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n", announced)
	for name, head := range map[string]string{
		"over WebSocket":              upgrade + frame,
		"over HTTP":                   post + "\r\n",
		"over HTTP, a wrong password": post + "Authorization: Basic bWVtb3J5Ondyb25n\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			connection := musttest.Get(new(net.Dialer).DialContext(t.Context(), "tcp", host))(t)
			defer func() { _ = connection.Close() }() // the server has closed it
			musttest.Do(t, connection.SetDeadline(time.Now().Add(20*time.Second)))
			musttest.Get(io.WriteString(connection, head))(t)
			var err error
			sent := 0
			for chunk := make([]byte, 64<<10); sent < announced && err == nil; {
				var n int
				n, err = connection.Write(chunk)
				sent += n
			}
			if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the server accepted %d MB from a stranger (%v)", sent>>20, err)
			}
		})
	}
}

func TestServerWaitsForNoStranger(t *testing.T) {
	options := localOptions(t)
	secret := filepath.Join(t.TempDir(), "secret.json")
	musttest.Do(t, os.WriteFile(secret, []byte(`{"user":"u","pass":"p"}`), 0o600))
	server := exec.CommandContext(t.Context(), "node", filepath.Join(options.Packages, "server.mjs"), "--data", "mem://", "--secret-file", secret, "--sign-in-within", "300")
	stdin := musttest.Get(server.StdinPipe())(t)
	stdout := musttest.Get(server.StdoutPipe())(t)
	musttest.Do(t, server.Start())
	defer func() { _, _ = stdin.Close(), server.Wait() }()
	var ready struct{ Port int }
	musttest.Do(t, json.NewDecoder(stdout).Decode(&ready))
	url := fmt.Sprintf("ws://127.0.0.1:%d", ready.Port)
	connect(t, engine.Endpoint{URL: url, User: "u", Pass: "p"}) // a signed-in client stays connected
	signedIn := open(t, engine.Endpoint{URL: url})
	musttest.Get(signedIn.SignIn(t.Context(), surrealdb.Auth{Username: "u", Password: "p"}))(t)
	stranger := musttest.Get(new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "ws://")))(t)
	defer func() { _ = stranger.Close() }()
	if _, err := io.WriteString(stranger, "GET /rpc HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: cbor\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	musttest.Do(t, stranger.SetDeadline(time.Now().Add(10*time.Second)))
	if _, err := io.Copy(io.Discard, stranger); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the server waits for a silent stranger")
	}
	musttest.Is(t, nil, musttest.Err(surrealdb.Query[any](t.Context(), signedIn, "RETURN 1", nil)), "a client that has signed in was dropped")
}

func TestServerPassesValuesAndErrorsThrough(t *testing.T) {
	db := connect(t, servedByUs(t))
	moment := time.Date(2026, 1, 2, 3, 4, 5, 678_901_234, time.UTC)
	given := map[string]any{"float": 1.0, "int": 1, "big": int64(1)<<62 + 1, "moment": &models.CustomDateTime{Time: moment}, "id": models.NewRecordID("note", 7)}
	results := musttest.Get(surrealdb.Query[any](t.Context(), db, "RETURN [type::of($float), type::of($int), $big, <string>$moment, $id, NONE, NULL, 'ü']", given))(t)
	const want = "[float int 4611686018427387905 2026-01-02T03:04:05.678901234Z {note 7} <nil> <nil> ü]"
	musttest.Same(t, want, fmt.Sprint((*results)[0].Result), "the result")
	for statement, part := range map[string]string{
		"SELECT * FORM note":                                   "Unexpected token `an identifier`, expected FROM",
		"THROW 'boo'":                                          "An error occurred: boo",
		"RETURN function() { return 1 }":                       "Embedded functions are not enabled",
		"RETURN http::get('http://127.0.0.1:1/')":              "is not allowed",
		"CREATE note:twice; CREATE note:twice":                 "already exists",
		"DEFINE FIELD a ON t TYPE int; CREATE t:1 SET a = 'x'": "Expected `int`",
	} {
		musttest.Says(t, part, musttest.Err(surrealdb.Query[any](t.Context(), db, statement, nil)), "%s", statement)
	}
}

func TestServerKeepsConnectionsApart(t *testing.T) {
	endpoint := servedByUs(t)
	one, two := connect(t, endpoint), connect(t, endpoint)
	_, other := enginetest.Database(t)
	musttest.Do(t, two.Use(t.Context(), "test", other))
	musttest.Do(t, one.Let(t.Context(), "mine", 5))
	if got := fmt.Sprint(query(t, one, "RETURN [$mine, session::db()]"), query(t, two, "RETURN [$mine, session::db()]")); got != fmt.Sprintf("[5 test] [<nil> %s]", other) {
		t.Errorf("got %s", got)
	}
}

// A connection is one session, so that no query runs in another one; a transaction, which a backup reads in, may take several requests.
func TestServerHasTransactionsAndOneSession(t *testing.T) {
	db := connect(t, servedByUs(t))
	musttest.Says(t, "is not served", musttest.Err(db.Attach(t.Context())), "another session")
	namespace, database := enginetest.Database(t)
	musttest.Do(t, db.Use(t.Context(), namespace, database))
	query(t, db, "DEFINE TABLE note")
	for _, commit := range []bool{true, false} {
		transaction := musttest.Get(db.Begin(t.Context()))(t)
		musttest.Get(surrealdb.Query[any](t.Context(), transaction, "CREATE note", nil))(t)
		end := transaction.Cancel
		if commit {
			end = transaction.Commit
		}
		musttest.Do(t, end(t.Context()))
	}
	musttest.Same(t, "1", fmt.Sprint(query(t, db, "RETURN count(SELECT * FROM note)")), "notes that are committed")
}

func TestServerAnswersWhileASlowRequestRuns(t *testing.T) {
	db := connect(t, servedByUs(t))
	slow := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := surrealdb.Query[any](ctx, db, "SLEEP 2s", nil)
		slow <- err
	}()
	musttest.Same(t, "1", fmt.Sprint(query(t, db, "RETURN 1")), "the answer meanwhile")
	select {
	case err := <-slow:
		t.Errorf("the slow request ended first: %v", err)
	default:
	}
	cancel()
	if err := <-slow; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestServerRefusesASecretOthersCanRead(t *testing.T) {
	options := localOptions(t)
	secret := filepath.Join(t.TempDir(), "secret.json")
	musttest.Do(t, os.WriteFile(secret, []byte(`{"user":"u","pass":"p"}`), 0o644))
	output, err := exec.CommandContext(t.Context(), "node", filepath.Join(options.Packages, "server.mjs"), "--data", "mem://", "--secret-file", secret).CombinedOutput()
	if err == nil || !strings.Contains(string(output), "make it 0600") {
		t.Errorf("%v: %s", err, output)
	}
}

// use is a connection whose use a test controls; it can refuse to rest.
type use struct {
	unused atomic.Int64
	busy   atomic.Bool
	rests  atomic.Int64
}

func (u *use) IdleTime() time.Duration { return time.Duration(u.unused.Load()) }

func (u *use) DisconnectIfIdle(time.Duration) bool {
	u.rests.Add(1)
	return !u.busy.Load()
}

func TestAnEngineWithoutWorkSleepsUntilItIsNeeded(t *testing.T) {
	t.Parallel()
	options, asked := localOptions(t), &use{}
	options.Sleep, options.Use = time.Minute, asked
	supervisor := start(t, options)
	query(t, connect(t, endpointOf(t, supervisor)), "DEFINE NAMESPACE IF NOT EXISTS test; USE NS test; DEFINE DATABASE IF NOT EXISTS test; USE DB test; CREATE thing:1 SET x = 42")
	first := supervisor.State().PID

	asked.busy.Store(true) // a request at the last moment
	asked.unused.Store(int64(time.Hour))
	eventually(t, "the engine to be about to sleep", func() bool { return asked.rests.Load() > 1 })
	if supervisor.State().PID != first || endpointOf(t, supervisor).URL == "" {
		t.Fatal("an engine that was asked has gone to sleep")
	}
	asked.busy.Store(false)
	eventually(t, "the engine to sleep", func() bool { return supervisor.State().Asleep && supervisor.State().PID == 0 })

	asked.unused.Store(0)
	db := connect(t, endpointOf(t, supervisor))
	musttest.Same(t, "[42]", fmt.Sprint(query(t, db, "SELECT VALUE x FROM thing:1")), "after it slept it has")
	if supervisor.State().Asleep || supervisor.State().PID == first || supervisor.State().Restarts != 0 || supervisor.State().Err != nil {
		t.Errorf("awake: pid %d (was %d), %d restarts, %v", supervisor.State().PID, first, supervisor.State().Restarts, supervisor.State().Err)
	}

	asked.unused.Store(int64(time.Hour))
	eventually(t, "the engine to sleep once more", func() bool { return supervisor.State().Asleep && supervisor.State().PID == 0 })
	began := time.Now()
	stop(t, supervisor)
	if took := time.Since(began); took > time.Second {
		t.Errorf("stopping a sleeping engine lasted %s", took)
	}
}
