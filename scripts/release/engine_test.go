package main

import (
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/scripts/npmtest"
)

// TestTheEngineIsSmallToDownload installs the engine of a release with npm, and starts it.
func TestTheEngineIsSmallToDownload(t *testing.T) {
	if !*whole {
		t.Skip("downloads 71 MB: make install-test")
	}
	r := &release{version: "1.2.3", source: "../..", platforms: platforms}
	plain, err := r.plugin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := r.withEngine(t.Context(), plain)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range r.assets {
		t.Logf("%s: %d bytes", one.name, len(one.content))
	}
	if want := 1 + 8; len(r.assets) != want {
		t.Errorf("%d packages, want %d", len(r.assets), want)
	}
	dir := t.TempDir()
	if err := plugin.write(dir); err != nil {
		t.Fatal(err)
	}
	if err := r.assets.write(dir); err != nil {
		t.Fatal(err)
	}
	packages, err := npmtest.New(t.Context(), filepath.Join(dir, "npm"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(packages)
	defer server.Close()
	t.Setenv("npm_config_registry", server.URL+"/")
	t.Setenv("npm_config_cache", t.TempDir())

	options := engine.Options{
		Sources: filepath.Join(dir, "engine"), Packages: filepath.Join(t.TempDir(), "engine"),
		InMemory: true, RunDir: filepath.Join(t.TempDir(), "run"), Output: t.Output(),
	}
	packages.IsDown.Store(true)
	t.Setenv("npm_config_fetch_retries", "0")
	if err := engine.Install(t.Context(), options); err == nil || !strings.Contains(err.Error(), http.StatusText(http.StatusServiceUnavailable)) {
		t.Errorf("without a registry: %v", err)
	}
	packages.IsDown.Store(false)
	began := time.Now()
	if err := engine.Install(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	onDisk := sizeOf(t, options.Packages)
	t.Logf("%d bytes downloaded in %s, %d on disk", packages.Served.Load(), time.Since(began).Round(time.Millisecond), onDisk)
	if got := packages.Served.Load(); got > largestEngine || got < largestEngine/2 {
		t.Errorf("%d bytes are downloaded, want at most %d", got, largestEngine)
	}
	if onDisk > 30<<20 {
		t.Errorf("the engine takes %d bytes on disk", onDisk)
	}
	supervisor, err := engine.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		supervisor.Stop(context.WithoutCancel(t.Context()))
	}()
	if _, err := supervisor.Endpoint(t.Context()); err != nil {
		t.Error(err)
	}
}

// sizeOf returns the bytes of all files below a folder.
func sizeOf(t *testing.T, folder string) (size int64) {
	t.Helper()
	err := filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}
