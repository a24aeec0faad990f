//go:build unix

package engine_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
)

// countingNpm is an npm that notes each run in a file and then does what body says.
func countingNpm(t *testing.T, body string) (lookPath func(string) (string, error), runs func() int) {
	t.Helper()
	path, log := t.TempDir(), filepath.Join(t.TempDir(), "runs")
	writeProgram(t, path, "npm", fmt.Sprintf("echo \"$@\" >> %q\n%s", log, body))
	writeProgram(t, path, "node", "echo v20.0.0")
	return lookIn(path), func() int {
		content, _ := os.ReadFile(log)
		return bytes.Count(content, []byte("ci --omit=dev"))
	}
}

func TestInstallTwoAtOnceIsOneInstallation(t *testing.T) {
	dir := t.TempDir()
	copyEngineSources(t, dir)
	lookPath, runs := countingNpm(t, "rm -rf node_modules; mkdir node_modules")
	options := engine.Options{Sources: dir, Packages: dir, LookPath: lookPath}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			musttest.Is(t, nil, engine.Install(t.Context(), options), "engine.Install")
			musttest.Is(t, nil, musttest.Err(engine.Find(t.Context(), options)), "after Install")
		})
	}
	group.Wait()
	musttest.Same(t, 1, runs(), "how often npm ran")
}

func TestInstallIsDoneAgainAfterAFailure(t *testing.T) {
	dir := t.TempDir()
	copyEngineSources(t, dir)
	lookPath, _ := countingNpm(t, "mkdir -p node_modules; echo network gone >&2; exit 1")
	options := engine.Options{Sources: dir, Packages: dir, LookPath: lookPath}
	var progress bytes.Buffer
	options.Output = &progress
	err := engine.Install(t.Context(), options)
	if err == nil || !strings.Contains(err.Error(), "network gone") || !strings.Contains(progress.String(), "network gone") {
		t.Fatalf("error %v, progress %q", err, progress.String())
	}
	if _, err := engine.Find(t.Context(), options); !errors.Is(err, engine.ErrNotInstalled) {
		t.Fatalf("after a failed installation: %v", err)
	}
	installWithFakeNpm(t, dir)
	musttest.Get(engine.Find(t.Context(), options))(t)
}

func TestInstallIsDoneAgainForANewLockFile(t *testing.T) {
	source, target := t.TempDir(), t.TempDir()
	copyEngineSources(t, source)
	lookPath, runs := countingNpm(t, "mkdir -p node_modules")
	options := engine.Options{Sources: source, Packages: target, LookPath: lookPath}
	for range 2 {
		musttest.Do(t, engine.Install(t.Context(), options))
	}
	choice, err := engine.Find(t.Context(), options)
	if err != nil || choice.Path != target || runs() != 1 {
		t.Fatalf("chose %q after %d installations (%v), want %q after 1", choice.Path, runs(), err, target)
	}
	lock := filepath.Join(source, "package-lock.json")
	musttest.Do(t, os.WriteFile(lock, []byte("{}"), 0o644))
	if _, err := engine.Find(t.Context(), options); !errors.Is(err, engine.ErrNotInstalled) {
		t.Fatalf("with another lock file: %v", err)
	}
	if err := engine.Install(t.Context(), options); err != nil || runs() != 2 {
		t.Fatalf("installed %d times (%v), want 2", runs(), err)
	}
}

// An installation lets nobody else write to its files, whatever npm's umask is; an engine that others could have changed is neither chosen,
// nor started, nor installed anew.
func TestAnEngineThatOthersMayChangeIsNotStarted(t *testing.T) {
	dir := t.TempDir()
	copyEngineSources(t, dir)
	lookPath, runs := countingNpm(t, "umask 0; mkdir -p node_modules/ws; echo > node_modules/ws/index.js")
	options := engine.Options{Sources: dir, Packages: dir, LookPath: lookPath, InMemory: true, RunDir: t.TempDir()}
	musttest.Do(t, engine.Install(t.Context(), options))
	musttest.Is(t, nil, musttest.Err(engine.Find(t.Context(), options)), "after the installation")
	for _, file := range []string{"server.mjs", "package.json", "node_modules", "node_modules/ws", "node_modules/ws/index.js"} {
		path := filepath.Join(dir, file)
		was := musttest.Get(os.Stat(path))(t).Mode()
		musttest.Do(t, os.Chmod(path, 0o777))
		err := musttest.Err(engine.Start(t.Context(), options))
		if musttest.Is(t, private.ErrUnsafe, err, file); err != nil && !strings.Contains(err.Error(), "chmod go-w "+path) {
			t.Errorf("%s: %v; want the remedy", file, err)
		}
		musttest.Is(t, private.ErrUnsafe, engine.Install(t.Context(), options), file)
		musttest.Do(t, os.Chmod(path, was))
	}
	musttest.Same(t, 1, runs(), "how often npm ran")
}

// makeUnwritable stands in for a read-only directory, which root can write to.
func makeUnwritable(t *testing.T, dir string) {
	t.Helper()
	musttest.Do(t, os.Mkdir(filepath.Join(dir, ".install.lock"), 0o755))
}

func TestInstallFails(t *testing.T) {
	sources := func(t *testing.T) string {
		dir := t.TempDir()
		copyEngineSources(t, dir)
		return dir
	}
	t.Run("without sources", func(t *testing.T) {
		err := engine.Install(t.Context(), engine.Options{Sources: t.TempDir(), Packages: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), "reinstall the plugin") {
			t.Error(err)
		}
	})
	t.Run("without a place", func(t *testing.T) {
		dir := sources(t)
		makeUnwritable(t, dir)
		lookPath, _ := countingNpm(t, "true")
		err := engine.Install(t.Context(), engine.Options{Sources: dir, Packages: dir, LookPath: lookPath})
		if err == nil || !strings.Contains(err.Error(), ".install.lock") {
			t.Error(err)
		}
	})
	t.Run("when its time is up", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		lookPath, runs := countingNpm(t, "sleep 600")
		done := make(chan error, 1)
		options := engine.Options{Sources: sources(t), Packages: t.TempDir(), LookPath: lookPath}
		go func() { done <- engine.Install(ctx, options) }()
		eventually(t, "npm to run", func() bool { return runs() == 1 })
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "npm hangs or is too slow") {
			t.Error(err)
		}
	})
}

var download = flag.Bool("download", false, "install the engine from the registry of npm")

func TestInstallForReal(t *testing.T) {
	if !*download {
		t.Skip("downloads 71 MB: make install-test runs it, and make test installs the engine before the tests")
	}
	needNode(t)
	if t.Setenv("npm_config_registry", registry); registry == "" { // npm has its own files of settings
		_ = os.Unsetenv("npm_config_registry")
	}
	source, target := t.TempDir(), filepath.Join(t.TempDir(), "engine")
	copyEngineSources(t, source)
	options := localOptions(t)
	options.Sources, options.Packages = source, target
	options.InMemory = true
	options.Output = t.Output()
	musttest.Do(t, engine.Install(t.Context(), options))
	supervisor := start(t, options)
	musttest.Same(t, "42", fmt.Sprint(query(t, connect(t, endpointOf(t, supervisor)), "RETURN 41 + 1")), "the sum")
}
