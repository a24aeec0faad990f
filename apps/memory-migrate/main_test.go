package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
)

// asProgram makes the test binary be memory-migrate, for the tests that need processes.
const asProgram = "MEMORY_MIGRATE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(enginetest.Wrap(m))
}

// environment points the program at a database of its own.
func environment(t *testing.T) map[string]string {
	t.Helper()
	endpoint := enginetest.Endpoint(t)
	namespace, database := enginetest.Database(t)
	return map[string]string{
		"MEMORY_HOME": t.TempDir(), "SURREAL_URL": endpoint.URL, "SURREAL_USER": endpoint.User, "SURREAL_PASS": endpoint.Pass,
		"SURREAL_NS": namespace, "SURREAL_DB": database,
	}
}

func run(t *testing.T, env map[string]string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(t.Context(), append([]string{"memory-migrate"}, args...), &out, &errs, func(name string) string { return env[name] })
	return out.String(), errs.String(), code
}

// directory writes migrations 1, 2, … with the texts, and their sums.
func directory(t *testing.T, texts ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, text := range texts {
		path, err := migrate.New(dir, "m")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func failure(t *testing.T, stdout string) (code, message string) {
	t.Helper()
	var answer struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil {
		t.Fatalf("%q: %v", stdout, err)
	}
	return answer.Error.Code, answer.Error.Message
}

func TestBuiltInMigrations(t *testing.T) {
	env := environment(t)
	var report migrate.Report
	stdout, stderr, code := run(t, env, "up", "--json")
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != exitOK {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	if report.From != 0 || report.To < 1 || len(report.Applied) != report.To || report.Applied[0].BinaryVersion != version {
		t.Errorf("got %s", stdout)
	}
	if stdout, _, code := run(t, env, "up"); code != exitOK || !strings.HasPrefix(stdout, "up to date at version") {
		t.Errorf("up again: exit %d, %s", code, stdout)
	}
}

func TestStatusAndUp(t *testing.T) {
	env := environment(t)
	dir := directory(t, "DEFINE TABLE a", "DEFINE TABLE b; CREATE b")
	for _, step := range []struct {
		args, want string
	}{
		{"status --json", `{"current":0,"latest":2,"applied":[],"pending":["0001_m.surql","0002_m.surql"]}`},
		{"status", "0001_m.surql, to be applied\n0002_m.surql, to be applied\nversion 0 of 2, 2 pending"},
		{"up", "migrated from version 0 to 2"},
		{"up --json", `{"from":2,"to":2,"applied":[]}`},
	} {
		stdout, stderr, code := run(t, env, append(strings.Fields(step.args), "--dir", dir)...)
		if code != exitOK || strings.TrimSpace(stdout) != step.want {
			t.Errorf("%s: exit %d, %s%s", step.args, code, stdout, stderr)
		}
	}
	if stdout, _, code := run(t, env, "status", "--dir", dir); code != exitOK || !strings.Contains(stdout, "0002 m, applied ") || !strings.Contains(stdout, "version 2 of 2, 0 pending") {
		t.Errorf("status: exit %d, %s", code, stdout)
	}
}

func TestRefusals(t *testing.T) {
	env := environment(t)
	if _, stderr, code := run(t, env, "up", "--dir", directory(t, "DEFINE TABLE a", "DEFINE TABLE b")); code != exitOK {
		t.Fatal(stderr)
	}
	for _, tt := range []struct {
		dir, want string
	}{
		{directory(t, "DEFINE TABLE a", "DEFINE TABLE c"), "edited"},
		{directory(t, "DEFINE TABLE a"), "newer"},
	} {
		for _, command := range []string{"up", "status"} {
			stdout, _, code := run(t, env, command, "--json", "--dir", tt.dir)
			if got, _ := failure(t, stdout); got != tt.want || code != exitRefused {
				t.Errorf("%s: exit %d, %s, want %s", command, code, stdout, tt.want)
			}
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"bogus", "--json"}, {"up", "--nope", "--json"}, {"up", "--json", "extra"}, {"new", "--json"}, {"new", "--json", "a", "b"}} {
		stdout, _, code := run(t, nil, args...)
		if got, _ := failure(t, stdout); got != "usage" || code != exitUsage {
			t.Errorf("%v: exit %d, %s", args, code, stdout)
		}
	}
	if stdout, _, code := run(t, nil, "--help"); code != exitOK || !strings.Contains(stdout, "drift") {
		t.Errorf("exit %d, %s", code, stdout)
	}
	if stdout, _, code := run(t, nil, "--version"); code != exitOK || !strings.Contains(stdout, version) {
		t.Errorf("exit %d, %s", code, stdout)
	}
}

func TestNoDatabase(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "ws://" + listener.Addr().String()
	_ = listener.Close()
	stdout, _, code := run(t, map[string]string{"MEMORY_HOME": t.TempDir(), "SURREAL_URL": url}, "up", "--json")
	if got, _ := failure(t, stdout); got != "unavailable" || code != exitUnavailable {
		t.Errorf("exit %d, %s", code, stdout)
	}
	env := environment(t)
	env["SURREAL_PASS"] = "wrong"
	stdout, _, code = run(t, env, "status", "--json")
	if got, message := failure(t, stdout); got != "auth" || code != exitUnavailable || strings.Contains(message, "wrong") {
		t.Errorf("exit %d, %s", code, stdout)
	}
}

// processes runs several processes of the program at once and returns the migrations that each applied.
func processes(t *testing.T, count int, environment []string, program string, args ...string) (applied []int) {
	t.Helper()
	applied = make([]int, count)
	var all sync.WaitGroup
	for i := range count {
		all.Go(func() {
			command := exec.CommandContext(t.Context(), program, args...)
			command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
			command.Env = append(os.Environ(), environment...)
			var stderr bytes.Buffer
			command.Stderr = &stderr
			stdout, err := command.Output()
			var report migrate.Report
			if err == nil {
				err = json.Unmarshal(stdout, &report)
			}
			if err != nil {
				t.Errorf("%v: %s%s", err, stdout, stderr.String())
			}
			applied[i] = len(report.Applied)
		})
	}
	all.Wait()
	return applied
}

func onlyOneOf(t *testing.T, applied []int, files int) {
	t.Helper()
	total := 0
	for _, n := range applied {
		total += n
	}
	if total != files {
		t.Errorf("%v applied, want %d by one of them", applied, files)
	}
}

// The first process starts the engine, the others use it, and one of them has to start its own when the first ends.
func TestProcessesAtOnceWithTheirOwnEngine(t *testing.T) {
	program, env := withItsOwnEngine(t)
	dir := directory(t, "DEFINE TABLE a; SLEEP 500ms", "CREATE a")
	onlyOneOf(t, processes(t, 2, env, program, "up", "--json", "--dir", dir), 2)
}

// TestAnUpgradeHasLargeBuffers: an engine of our own gets them before files are applied to a database that may be
// large.
func TestAnUpgradeHasLargeBuffers(t *testing.T) {
	program, env := withItsOwnEngine(t)
	first, second := []string{"DEFINE TABLE a; CREATE a"}, []string{"DEFINE TABLE a; CREATE a", "DEFINE TABLE b; CREATE b"}
	for _, tt := range []struct {
		texts   []string
		widened bool
	}{{first, false}, {second, true}, {second, false}} {
		command := exec.CommandContext(t.Context(), program, "up", "--dir", directory(t, tt.texts...))
		command.Env = append(os.Environ(), env...)
		said, err := command.CombinedOutput()
		if err != nil || strings.Contains(string(said), "large write buffers") != tt.widened {
			t.Errorf("%d files, widened %v: %v: %s", len(tt.texts), tt.widened, err, said)
		}
	}
}

// withItsOwnEngine installs the program as in a plugin, with an empty home.
func withItsOwnEngine(t *testing.T) (program string, env []string) {
	t.Helper()
	enginetest.Endpoint(t) // skips where there is none
	engineDir, err := enginetest.EngineDir()
	if err != nil {
		t.Fatal(err)
	}
	plugin := t.TempDir()
	program = filepath.Join(plugin, "libexec", "memory-migrate")
	if err := os.Mkdir(filepath.Dir(program), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(engineDir, filepath.Join(plugin, "engine")); err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := plugintest.WriteProgram(program, self); err != nil {
		t.Fatal(err)
	}
	return program, []string{asProgram + "=1", "SURREAL_URL=", "MEMORY_HOME=" + t.TempDir(), enginetest.Setting()}
}

func TestInterruptedBeforeItBegins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	env := environment(t)
	var out, errs bytes.Buffer
	if code := Run(ctx, []string{"memory-migrate", "up"}, &out, &errs, func(name string) string { return env[name] }); code == exitOK {
		t.Error("exit 0")
	}
}
