//go:build unix

package engine_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

// writeProgram makes an executable shell script and returns its path.
func writeProgram(t *testing.T, dir, name, body string) string {
	t.Helper()
	musttest.Do(t, os.MkdirAll(dir, 0o755))
	path := filepath.Join(dir, name)
	musttest.Do(t, plugintest.WriteProgram(path, []byte("#!/bin/sh\n"+body+"\n")))
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
	installed := t.TempDir()
	copyEngineSources(t, installed)
	installWithFakeNpm(t, installed)
	bare := t.TempDir()
	copyEngineSources(t, bare)

	tests := []struct {
		name       string
		url        string
		onPath     map[string]string
		dirs       []string // sources, and packages if they are not the same
		node       string
		kind       engine.Kind
		version    string
		err        error
		message    string // part of the error
		passedOver string // part of what was passed over
	}{
		{name: "url over TLS", url: "https://db.example", kind: engine.Remote},
		{name: "url of another kind", url: "mem://", message: "use ws://, wss://, http:// or https://"},
		{name: "url without a host", url: "ws://", message: "and a host"},
		{name: "url with a password", url: "ws://root:hunter2@db", message: "store.pass"},
		{name: "no url at all", url: "ws://%zz", message: "not a URL"},
		{name: "installed elsewhere", onPath: map[string]string{"node": "echo v20.0.0"}, dirs: []string{bare, installed}, kind: engine.Embedded, version: "3.0.2", node: "20.0.0"},
		{name: "not installed", onPath: map[string]string{"node": "echo v20.0.0"}, dirs: []string{bare}, kind: engine.Embedded, version: "3.0.2", node: "20.0.0", err: engine.ErrNotInstalled},
		{name: "no sources", onPath: map[string]string{"node": "echo v20.0.0"}, dirs: []string{t.TempDir()}, kind: engine.Embedded, node: "20.0.0", message: "reinstall the plugin"},
		{name: "old node", onPath: map[string]string{"node": "echo v18.19.0"}, dirs: []string{installed}, err: engine.ErrNoEngine, passedOver: "version 18.19.0, but 20 or newer"},
		{name: "broken node", onPath: map[string]string{"node": "exit 1"}, dirs: []string{installed}, err: engine.ErrNoEngine, passedOver: "exit status 1"},
		{name: "nothing", err: engine.ErrNoEngine, message: "no SurrealDB engine: install Node.js 20 or newer (https://nodejs.org), or name a server (memory config set store.url URL)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := t.TempDir()
			for name, body := range test.onPath {
				writeProgram(t, path, name, body)
			}
			choice, err := engine.Find(t.Context(), engine.Options{Remote: engine.Endpoint{URL: test.url}, Sources: first(test.dirs), Packages: last(test.dirs), LookPath: lookIn(path)})

			wantErr := test.err != nil || test.message != ""
			if (err != nil) != wantErr || test.err != nil && !errors.Is(err, test.err) {
				t.Fatalf("error %v, want %v %q", err, test.err, test.message)
			}
			if err != nil && (!strings.Contains(err.Error(), test.message) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hunter2")) {
				t.Errorf("error %q, want one line with %q and no password", err, test.message)
			}
			musttest.Same(t, test.node, choice.Node, "Node")
			if choice.Kind != test.kind || choice.Version != test.version {
				t.Errorf("chose %s %s, want %s %s", choice.Kind, choice.Version, test.kind, test.version)
			}
			if test.passedOver != "" && (err == nil || !strings.Contains(err.Error(), test.passedOver)) {
				t.Errorf("error %v, want %q in it", err, test.passedOver)
			}
		})
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
	source := musttest.Get(enginetest.EngineDir())(t)
	for _, name := range []string{"package.json", "package-lock.json", "server.mjs"} {
		content := musttest.Get(os.ReadFile(filepath.Join(source, name)))(t)
		musttest.Do(t, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
}

// installWithFakeNpm installs into dir with an npm that only makes the directory.
func installWithFakeNpm(t *testing.T, dir string) {
	t.Helper()
	path := t.TempDir()
	writeProgram(t, path, "npm", "mkdir -p node_modules")
	writeProgram(t, path, "node", "echo v20.0.0")
	musttest.Do(t, engine.Install(t.Context(), engine.Options{Sources: dir, Packages: dir, LookPath: lookIn(path)}))
}
