//go:build unix

package engine_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths/plugintest"
)

// writeProgram makes an executable shell script and returns its path.
func writeProgram(t *testing.T, dir, name, body string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := plugintest.WriteProgram(path, []byte("#!/bin/sh\n"+body+"\n")); err != nil {
		t.Fatal(err)
	}
	return path
}

// lookIn finds programs in one directory only.
func lookIn(dir string) func(string) (string, error) {
	return func(name string) (string, error) {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err != nil {
			return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
		}
		return path, nil
	}
}

func TestFind(t *testing.T) {
	const surreal3, surreal2 = "echo 3.1.4 for linux on x86_64", "echo 2.3.7 for linux on x86_64"
	const launcher = "echo 'cli    0.1.0'; echo 'db     3.3.5'; echo 'mcp    1.2.0'"
	installed := t.TempDir()
	copyEngineSources(t, installed)
	installWithFakeNpm(t, installed)
	bare := t.TempDir()
	copyEngineSources(t, bare)

	tests := []struct {
		name       string
		url        string
		onPath     map[string]string
		inHome     string            // body of ~/.surrealdb/surreal
		components map[string]string // bodies of ~/.surrealdb/components/db/VERSION/surreal-db
		dirs       []string          // sources, and packages if they are not the same
		node       string
		kind       engine.Kind
		version    string
		err        error
		message    string // part of the error
		passedOver string // part of what was passed over
	}{
		{name: "url before everything", url: "ws://db.example:8000", onPath: map[string]string{"surreal": surreal3}, kind: engine.Remote},
		{name: "url over TLS", url: "https://db.example", kind: engine.Remote},
		{name: "url of another kind", url: "mem://", message: "use ws://, wss://, http:// or https://"},
		{name: "url without a host", url: "ws://", message: "and a host"},
		{name: "url with a password", url: "ws://root:hunter2@db", message: "SURREAL_PASS"},
		{name: "no url at all", url: "ws://%zz", message: "not a URL"},
		{name: "binary before node", onPath: map[string]string{"surreal": surreal3, "node": "echo v22.1.0"}, dirs: []string{installed}, kind: engine.Binary, version: "3.1.4"},
		{name: "binary in the home", onPath: map[string]string{"node": "echo v22.1.0"}, inHome: surreal3, dirs: []string{installed}, kind: engine.Binary, version: "3.1.4"},
		{name: "old binary on the path, new one in the home", onPath: map[string]string{"surreal": surreal2}, inHome: surreal3, kind: engine.Binary, version: "3.1.4", passedOver: "version 2.3.7, and 3.x is needed"},
		{
			name: "a launcher and its databases", onPath: map[string]string{"surreal": launcher, "node": "echo v22.1.0"}, dirs: []string{installed},
			components: map[string]string{"3.9.1": surreal3, "3.10.0": "echo 3.10.0", "2.4.0": surreal2}, kind: engine.Binary, version: "3.10.0", passedOver: "it is the launcher",
		},
		{name: "a launcher's database that does not say its version", onPath: map[string]string{"surreal": launcher}, components: map[string]string{"3.3.5": "exit 2"}, kind: engine.Binary, version: "3.3.5", passedOver: "it is the launcher"},
		{name: "a launcher without a database", onPath: map[string]string{"surreal": launcher}, components: map[string]string{"2.4.0": surreal2}, err: engine.ErrNoEngine, passedOver: "surreal start installs it"},
		{name: "old binary", onPath: map[string]string{"surreal": surreal2, "node": "echo v22.1.0"}, dirs: []string{installed}, kind: engine.Embedded, version: "3.0.2", node: "22.1.0", passedOver: "version 2.3.7"},
		{name: "future binary", onPath: map[string]string{"surreal": "echo 4.0.0", "node": "echo v22.1.0"}, dirs: []string{installed}, kind: engine.Embedded, version: "3.0.2", node: "22.1.0", passedOver: "version 4.0.0"},
		{name: "broken binary", onPath: map[string]string{"surreal": "exit 3", "node": "echo v20.0.0"}, dirs: []string{installed}, kind: engine.Embedded, version: "3.0.2", node: "20.0.0", passedOver: "exit status 3"},
		{name: "mute binary", onPath: map[string]string{"surreal": "true", "node": "echo v20.0.0"}, dirs: []string{installed}, kind: engine.Embedded, version: "3.0.2", node: "20.0.0", passedOver: "names no version"},
		{name: "installed elsewhere", onPath: map[string]string{"node": "echo v20.0.0"}, dirs: []string{bare, installed}, kind: engine.Embedded, version: "3.0.2", node: "20.0.0"},
		{name: "not installed", onPath: map[string]string{"node": "echo v20.0.0"}, dirs: []string{bare}, kind: engine.Embedded, version: "3.0.2", node: "20.0.0", err: engine.ErrNotInstalled},
		{name: "no sources", onPath: map[string]string{"node": "echo v20.0.0"}, dirs: []string{t.TempDir()}, kind: engine.Embedded, node: "20.0.0", message: "reinstall the plugin"},
		{name: "old node", onPath: map[string]string{"node": "echo v18.19.0"}, dirs: []string{installed}, err: engine.ErrNoEngine, passedOver: "version 18.19.0, and 20 or newer"},
		{name: "broken node", onPath: map[string]string{"node": "exit 1"}, dirs: []string{installed}, err: engine.ErrNoEngine, passedOver: "exit status 1"},
		{name: "future binary and nothing else", onPath: map[string]string{"surreal": "echo 4.0.0"}, kind: engine.Binary, version: "4.0.0"},
		{name: "a binary that is no release", onPath: map[string]string{"surreal": "echo 4.0.0-beta.1"}, err: engine.ErrNoEngine, passedOver: "is not a release"},
		{
			name: "binary without rocksdb", onPath: map[string]string{"surreal": "[ $1 = version ] && { echo 3.3.5; exit; }; echo 'Provide a valid database path parameter' >&2; exit 1"},
			err: engine.ErrNoEngine, passedOver: "3.3.5 was built without RocksDB",
		},
		{name: "nothing", err: engine.ErrNoEngine, message: "no SurrealDB engine: install Node.js 20 or newer (https://nodejs.org) or the surreal 3.x binary, or set SURREAL_URL"},
		{name: "nothing but an old binary", onPath: map[string]string{"surreal": surreal2}, err: engine.ErrNoEngine, message: "passed over", passedOver: "version 2.3.7"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path, home := t.TempDir(), t.TempDir()
			for name, body := range test.onPath {
				writeProgram(t, path, name, body)
			}
			if test.inHome != "" {
				writeProgram(t, filepath.Join(home, ".surrealdb"), "surreal", test.inHome)
			}
			for version, body := range test.components {
				writeProgram(t, filepath.Join(home, ".surrealdb", "components", "db", version), "surreal-db", body)
			}
			choice, err := engine.Find(t.Context(), engine.Options{Remote: engine.Endpoint{URL: test.url}, Sources: first(test.dirs), Packages: last(test.dirs), LookPath: lookIn(path), HomeDir: home})

			wantErr := test.err != nil || test.message != ""
			if (err != nil) != wantErr || test.err != nil && !errors.Is(err, test.err) {
				t.Fatalf("error %v, want %v %q", err, test.err, test.message)
			}
			if err != nil && (!strings.Contains(err.Error(), test.message) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hunter2")) {
				t.Errorf("error %q, want one line with %q and no password", err, test.message)
			}
			if choice.Node != test.node {
				t.Errorf("Node %q, want %q", choice.Node, test.node)
			}
			if choice.Kind != test.kind || choice.Version != test.version {
				t.Errorf("chose %s %s, want %s %s", choice.Kind, choice.Version, test.kind, test.version)
			}
			if named := strings.Join(choice.PassedOver, "\n"); !strings.Contains(named, test.passedOver) || (named != "") != (test.passedOver != "") {
				t.Errorf("passed over %q, want %q", named, test.passedOver)
			}
		})
	}
}

func TestFindGivesProgramsNoKeys(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-secret")
	path, seen := t.TempDir(), filepath.Join(t.TempDir(), "environment")
	writeProgram(t, path, "surreal", fmt.Sprintf("env > %q; echo 3.0.0", seen))
	if _, err := engine.Find(t.Context(), engine.Options{LookPath: lookIn(path), HomeDir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	environment, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(environment), "sk-secret") || !strings.Contains(string(environment), "PATH=") {
		t.Errorf("the program saw %s", environment)
	}
}

func first(dirs []string) string {
	if len(dirs) == 0 {
		return ""
	}
	return dirs[0]
}

func last(dirs []string) string {
	if len(dirs) == 0 {
		return ""
	}
	return dirs[len(dirs)-1]
}

// copyEngineSources puts the real engine's own files into dir, without its packages.
func copyEngineSources(t *testing.T, dir string) {
	t.Helper()
	source, err := enginetest.EngineDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"package.json", "package-lock.json", "server.mjs"} {
		content, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// installWithFakeNpm installs into dir with an npm that only makes the directory.
func installWithFakeNpm(t *testing.T, dir string) {
	t.Helper()
	path := t.TempDir()
	writeProgram(t, path, "npm", "mkdir -p node_modules")
	writeProgram(t, path, "node", "echo v20.0.0")
	if err := engine.Install(t.Context(), engine.Options{Sources: dir, Packages: dir, LookPath: lookIn(path)}, nil); err != nil {
		t.Fatal(err)
	}
}
