//go:build unix

package engine_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
)

// standIn answers as Node.js does, as far as it is asked before it is started.
const standIn = "#!/bin/sh\ncase $1 in --version) echo v22.1.0 ;; -e) echo linux-x64-gnu ;; esac\n"

type entry struct {
	name, link, content string
}

func archived(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	archive := tar.NewWriter(packed)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Mode: 0o755, Size: int64(len(e.content)), Typeflag: tar.TypeReg}
		if e.link != "" {
			header.Typeflag, header.Linkname = tar.TypeSymlink, e.link
		}
		musttest.Do(t, archive.WriteHeader(header))
		musttest.Get(archive.Write([]byte(e.content)))(t)
	}
	musttest.Do(t, errors.Join(archive.Close(), packed.Close()))
	return out.Bytes()
}

// npmRegistry is a registry of npm on loopback.
type npmRegistry struct {
	packages map[string][]byte // by path
	requests map[string]int
	fault    http.HandlerFunc // answers in the place of the packages, if there is one
	address  string
}

func newRegistry(t *testing.T) *npmRegistry {
	t.Helper()
	r := &npmRegistry{packages: map[string][]byte{}, requests: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.requests[request.URL.Path]++
		content, ok := r.packages[request.URL.Path]
		switch {
		case r.fault != nil:
			r.fault(w, request)
		case !ok:
			http.NotFound(w, request)
		default:
			_, _ = w.Write(content)
		}
	}))
	t.Cleanup(server.Close)
	r.address = server.URL
	t.Setenv("npm_config_registry", server.URL+"/")
	return r
}

// add publishes a package and returns its hash.
func (r *npmRegistry) add(path string, content []byte) string {
	r.packages[path] = content
	sum := sha512.Sum512(content)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

const nodePath = "/node-here/-/node-here-22.1.0.tgz"

// bareMachine are the options of a machine without Node.js and npm, whose plugin names packages of the registry.
func bareMachine(t *testing.T, r *npmRegistry) engine.Options {
	t.Helper()
	sources := t.TempDir()
	copyEngineSources(t, sources)
	platform := map[string]any{"package": "node-here", "bytes": 30_500_000, "integrity": r.add(nodePath, archived(t,
		entry{name: "../../outside", content: "x"}, entry{name: "package/bin/node", link: "/bin/sh"},
		entry{name: "package/lib/more.js", content: "x"}, entry{name: "package/LICENSE", content: "free"},
		entry{name: "package/bin/node", content: standIn}))}
	writeJSON(t, filepath.Join(sources, "runtime.json"), map[string]any{"node": "22.1.0", "platforms": map[string]any{runtime.GOOS + "/" + runtime.GOARCH: platform}})
	locked := func(path string, entries ...entry) map[string]any {
		return map[string]any{"version": "1.0.0", "integrity": r.add(path, archived(t, entries...))}
	}
	with := func(locked map[string]any, key string, value any) map[string]any {
		locked[key] = value
		return locked
	}
	writeJSON(t, filepath.Join(sources, "package-lock.json"), map[string]any{"packages": map[string]any{
		"":                               map[string]any{"name": "engine"},
		"node_modules/ws":                locked("/ws/-/ws-1.0.0.tgz", entry{name: "package/index.js", content: "ws"}),
		"node_modules/a/node_modules/ws": locked("/ws/-/ws-1.0.0.tgz", entry{name: "package/index.js", content: "ws"}),
		"node_modules/@s/node":           with(locked("/@s/engine/-/engine-1.0.0.tgz", entry{name: "any/dist/node.js", content: "alias"}), "name", "@s/engine"),
		"node_modules/tslib":             with(locked("/tslib/-/tslib-1.0.0.tgz"), "peer", true),
		"node_modules/@s/windows":        with(locked("/@s/windows/-/windows-1.0.0.tgz"), "os", []string{"win32"}),
		"node_modules/@s/musl":           with(locked("/@s/musl/-/musl-1.0.0.tgz"), "libc", []string{"musl"}),
		"node_modules/@s/arm":            with(locked("/@s/arm/-/arm-1.0.0.tgz"), "cpu", []string{"arm64"}),
		"node_modules/@s/gnu":            with(locked("/@s/gnu/-/gnu-1.0.0.tgz", entry{name: "package/here.node", content: "native"}), "libc", []string{"glibc"}),
	}})
	return engine.Options{Sources: sources, Packages: filepath.Join(t.TempDir(), "engine"), LookPath: lookIn(t.TempDir())}
}

func writeJSON(t *testing.T, file string, value any) {
	t.Helper()
	content, err := json.Marshal(value)
	if err == nil {
		err = os.WriteFile(file, content, 0o600)
	}
	musttest.Do(t, err)
}

func TestWithoutNodeItIsDownloadedOnce(t *testing.T) {
	r := newRegistry(t)
	options := bareMachine(t, r)
	if _, err := engine.Find(t.Context(), options); !errors.Is(err, engine.ErrNotInstalled) {
		t.Fatalf("before: %v", err)
	}
	for range 2 {
		musttest.Do(t, engine.Install(t.Context(), options))
	}
	choice, err := engine.Find(t.Context(), options)
	if err != nil || choice.Kind != engine.Embedded || choice.Node != "22.1.0" || r.requests[nodePath] != 1 {
		t.Errorf("%s after %d requests, %v", choice, r.requests[nodePath], err)
	}
	for file, want := range map[string]string{
		"node-22.1.0/node": standIn, "node-22.1.0/LICENSE": "free", "node_modules/ws/index.js": "ws", "node_modules/@s/node/dist/node.js": "alias",
		"node_modules/@s/gnu/here.node": "native", "node_modules/a/node_modules/ws/index.js": "ws",
	} {
		if got, err := os.ReadFile(filepath.Join(options.Packages, file)); string(got) != want {
			t.Errorf("%s has %q (%v), want %q", file, got, err, want)
		}
	}
	for _, pattern := range []string{".installing-*", "node_modules/@s/windows", "node_modules/@s/musl", "node_modules/@s/arm", "node_modules/tslib", "node-22.1.0/lib", "../outside"} {
		if left, _ := filepath.Glob(filepath.Join(options.Packages, pattern)); len(left) > 0 {
			t.Errorf("installed are %q", left)
		}
	}
}

// TestAnotherNodeTakesThePlaceOfTheOld: a new version of the plugin pins another one; the user's own goes before both.
func TestAnotherNodeTakesThePlaceOfTheOld(t *testing.T) {
	r := newRegistry(t)
	options := bareMachine(t, r)
	musttest.Do(t, engine.Install(t.Context(), options))
	path := t.TempDir()
	writeProgram(t, path, "node", "echo v24.0.0")
	users := options
	users.LookPath = lookIn(path)
	if choice, err := engine.Find(t.Context(), users); err != nil || choice.Node != "24.0.0" {
		t.Errorf("with a Node.js of the user's: %s, %v", choice, err)
	}
	integrity := r.add("/node-here/-/node-here-22.2.0.tgz", archived(t, entry{name: "package/bin/node", content: strings.Replace(standIn, "22.1", "22.2", 1)}))
	writeJSON(t, filepath.Join(options.Sources, "runtime.json"), map[string]any{
		"node": "22.2.0", "platforms": map[string]any{runtime.GOOS + "/" + runtime.GOARCH: map[string]any{"package": "node-here", "integrity": integrity}},
	})
	musttest.Is(t, engine.ErrNotInstalled, musttest.Err(engine.Find(t.Context(), options)), "before the new one is there")
	musttest.Do(t, engine.Install(t.Context(), options))
	choice, err := engine.Find(t.Context(), options)
	if left, _ := filepath.Glob(filepath.Join(options.Packages, "node-*")); err != nil || choice.Node != "22.2.0" || len(left) != 1 {
		t.Errorf("%s, %v, and there are %q", choice, err, left)
	}
	musttest.Same(t, 2, r.requests["/ws/-/ws-1.0.0.tgz"], "the packages were downloaded again: requests")
}

// TestWithoutNpmThePackagesAreDownloaded: the user has Node.js, but nothing that installs packages.
func TestWithoutNpmThePackagesAreDownloaded(t *testing.T) {
	r := newRegistry(t)
	options := bareMachine(t, r)
	path := t.TempDir()
	writeProgram(t, path, "node", strings.TrimPrefix(standIn, "#!/bin/sh\n"))
	options.LookPath = lookIn(path)
	musttest.Do(t, engine.Install(t.Context(), options))
	if choice, err := engine.Find(t.Context(), options); err != nil || choice.Node != "22.1.0" || r.requests[nodePath] != 0 {
		t.Errorf("%s after %d requests for Node.js, %v", choice, r.requests[nodePath], err)
	}
}

func TestAnotherPackageThanTheLockedOneIsNotUsed(t *testing.T) {
	tests := map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"another package": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(archived(t, entry{name: "package/bin/node", content: "x"}))
		}, "it was not used"},
		"a proxy's page": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>Please sign in</html>")) }, "a proxy may have answered"},
		"cut at half": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write(make([]byte, 20))
		}, "unexpected EOF"},
		"not there": {http.NotFound, "404"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRegistry(t)
			options := bareMachine(t, r)
			for _, path := range []string{nodePath, "/ws/-/ws-1.0.0.tgz"} {
				r.fault = func(w http.ResponseWriter, request *http.Request) {
					if request.URL.Path == path {
						test.answer(w, request)
						return
					}
					_, _ = w.Write(r.packages[request.URL.Path])
				}
				err := engine.Install(t.Context(), options)
				if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), r.address+path) {
					t.Errorf("%v, want something about %q and %s", err, test.want, path)
				}
				musttest.Is(t, engine.ErrNotInstalled, musttest.Err(engine.Find(t.Context(), options)), "it counts as installed")
				if left, _ := filepath.Glob(filepath.Join(options.Packages, ".installing-*")); len(left) > 0 {
					t.Errorf("left are %q", left)
				}
			}
			r.fault = nil
			musttest.Is(t, nil, engine.Install(t.Context(), options), "once the registry answers")
		})
	}
}

// TestWithoutAPinNothingIsDownloaded: the plugin names no Node.js that can run here, or one without its hash.
func TestWithoutAPinNothingIsDownloaded(t *testing.T) {
	r := newRegistry(t)
	here := runtime.GOOS + "/" + runtime.GOARCH
	for name, platforms := range map[string]string{
		"no platform":      `{}`,
		"another platform": `{"plan9/mips": {"package": "node-here", "integrity": "sha512-x"}}`,
		"no hash":          `{"` + here + `": {"package": "node-here"}}`,
		"no glibc":         `{"` + here + `": {"package": "node-here", "integrity": "sha512-x", "loader": "/nowhere/ld-linux.so.2"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			options := bareMachine(t, r)
			pins := `{"node": "22.1.0", "platforms": ` + platforms + `}`
			musttest.Do(t, os.WriteFile(filepath.Join(options.Sources, "runtime.json"), []byte(pins), 0o600))
			if _, err := engine.Find(t.Context(), options); !errors.Is(err, engine.ErrNoEngine) || !strings.Contains(err.Error(), "nodejs.org") {
				t.Errorf("without a pin: %v", err)
			}
			if err := engine.Install(t.Context(), options); err == nil || !strings.Contains(err.Error(), "nodejs.org") || len(r.requests) > 0 {
				t.Errorf("installing: %v, after requests %v", err, r.requests)
			}
		})
	}
}
