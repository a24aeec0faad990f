//go:build unix

package engine_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
)

// standIn answers as the official build does, as far as it is asked before it is started.
const standIn = "#!/bin/sh\n[ \"$1\" = version ] && echo 3.3.5\n"

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
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// pinned are the options of a machine without Node.js, whose plugin asks for the content at the address.
func pinned(t *testing.T, address, name string, content []byte) engine.Options {
	t.Helper()
	sources := t.TempDir()
	copyEngineSources(t, sources)
	sum := sha256.Sum256(content)
	build := map[string]any{"name": name, "bytes": len(content), "sha256": hex.EncodeToString(sum[:])}
	pins, err := json.Marshal(map[string]any{"version": "3.3.5", "address": address, "files": map[string]any{runtime.GOOS + "/" + runtime.GOARCH: build}})
	if err == nil {
		err = os.WriteFile(filepath.Join(sources, "surreal.json"), pins, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return engine.Options{Sources: sources, Packages: filepath.Join(t.TempDir(), "engine"), LookPath: lookIn(t.TempDir()), HomeDir: t.TempDir()}
}

func TestWithoutNodeTheOfficialBuildIsFetchedOnce(t *testing.T) {
	for name, content := range map[string][]byte{
		"surreal": []byte(standIn),
		"surreal.tgz": archived(t, entry{name: "../surreal.txt", content: "x"}, entry{name: "/etc/surreal-memory-test", content: "x"},
			entry{name: "surreal", link: "/bin/sh"}, entry{name: "bin/surreal", content: standIn}),
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests++
				_, _ = w.Write(content)
			}))
			defer server.Close()
			options := pinned(t, server.URL, name, content)
			if _, err := engine.Find(t.Context(), options); !errors.Is(err, engine.ErrNotInstalled) {
				t.Fatalf("before: %v", err)
			}
			for range 2 {
				if err := engine.Install(t.Context(), options, nil); err != nil {
					t.Fatal(err)
				}
			}
			choice, err := engine.Find(t.Context(), options)
			if err != nil || choice.Kind != engine.Binary || choice.Version != "3.3.5" || requests != 1 {
				t.Errorf("%s after %d requests, %v", choice, requests, err)
			}
			if left, _ := filepath.Glob(filepath.Join(options.Packages, ".fetching-*")); len(left) > 0 {
				t.Errorf("left are %q", left)
			}
			if size, err := engine.Uninstall(t.Context(), options); err != nil || size == 0 {
				t.Errorf("uninstalled %d bytes, %v", size, err)
			}
			if _, err := engine.Find(t.Context(), options); !errors.Is(err, engine.ErrNotInstalled) {
				t.Errorf("after it was removed: %v", err)
			}
		})
	}
}

func TestAnotherFileThanThePinnedOneIsNotUsed(t *testing.T) {
	const wanted = standIn + "# as it was released\n"
	tests := map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"another program": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(strings.ToUpper(wanted))) }, "is not what this version"},
		"a proxy's page":  {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>Please sign in</html>")) }, "a proxy may have answered"},
		"without an end":  {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.Repeat([]byte(wanted), 1000)) }, "is not what this version"},
		"cut at half": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(wanted[:20]))
		}, "unexpected EOF"},
		"not there": {http.NotFound, "404"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			answer := test.answer
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r) }))
			defer server.Close()
			options := pinned(t, server.URL, "surreal", []byte(wanted))
			err := engine.Install(t.Context(), options, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), server.URL) {
				t.Errorf("%v, want something about %q and %s", err, test.want, server.URL)
			}
			if _, err := engine.Find(t.Context(), options); !errors.Is(err, engine.ErrNotInstalled) {
				t.Errorf("it is taken for installed: %v", err)
			}
			answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(wanted)) }
			if err := engine.Install(t.Context(), options, nil); err != nil {
				t.Errorf("once the address answers: %v", err)
			}
		})
	}
}

// TestWithoutAPinNothingIsFetched: the plugin names no build for this platform, or one without its hash.
func TestWithoutAPinNothingIsFetched(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		_, _ = w.Write([]byte(standIn))
	}))
	defer server.Close()
	for name, files := range map[string]string{
		"no platform": `{}`,
		"another one": `{"plan9/mips": {"name": "surreal", "bytes": 1, "sha256": "00"}}`,
		"no hash":     `{"` + runtime.GOOS + "/" + runtime.GOARCH + `": {"name": "surreal", "bytes": 1, "sha256": ""}}`,
	} {
		t.Run(name, func(t *testing.T) {
			options := pinned(t, server.URL, "surreal", []byte(standIn))
			pins := `{"version": "3.3.5", "address": "` + server.URL + `", "files": ` + files + `}`
			if err := os.WriteFile(filepath.Join(options.Sources, "surreal.json"), []byte(pins), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := engine.Find(t.Context(), options); !errors.Is(err, engine.ErrNoEngine) || !strings.Contains(err.Error(), "nodejs.org") {
				t.Errorf("without a pin: %v", err)
			}
			if err := engine.Install(t.Context(), options, nil); err == nil || !strings.Contains(err.Error(), "nodejs.org") || requests > 0 {
				t.Errorf("installing: %v, after %d requests", err, requests)
			}
			if got := engine.DownloadSize(t.Context(), options); got != "71 MB" {
				t.Errorf("%s to download", got)
			}
		})
	}
}

func TestTheSizeOfADownloadIsThatOfWhatIsFetched(t *testing.T) {
	options := pinned(t, "http://127.0.0.1:1", "surreal", make([]byte, 30_500_000))
	if got := engine.DownloadSize(t.Context(), options); got != "31 MB" {
		t.Errorf("without Node.js %s to download", got)
	}
	path := t.TempDir()
	writeProgram(t, path, "node", "echo v20.0.0")
	options.LookPath = lookIn(path)
	if got := engine.DownloadSize(t.Context(), options); got != "71 MB" {
		t.Errorf("with Node.js %s to download", got)
	}
}
