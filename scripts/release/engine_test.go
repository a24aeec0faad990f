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

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/scripts/npmtest"
)

// TestTheEngineIsSmallToDownload installs the engine of a release with npm, and starts it.
func TestTheEngineIsSmallToDownload(t *testing.T) {
	if !*whole {
		t.Skip("downloads 71 MB: make install-test")
	}
	r := &release{version: "1.2.3", source: "../..", platforms: platforms}
	plain := musttest.Get(r.plugin(t.Context()))(t)
	plugin := musttest.Get(r.withEngine(t.Context(), plain))(t)
	for _, one := range r.assets {
		t.Logf("%s: %d bytes", one.name, len(one.content))
	}
	musttest.Same(t, 1+8, len(r.assets), "how many packages there are")
	dir := t.TempDir()
	musttest.Do(t, plugin.write(dir))
	musttest.Do(t, r.assets.write(dir))
	packages := musttest.Get(npmtest.New(t.Context(), filepath.Join(dir, "npm")))(t)
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
	musttest.Do(t, engine.Install(t.Context(), options))
	onDisk := sizeOf(t, options.Packages)
	t.Logf("%d bytes downloaded in %s, %d on disk", packages.Served.Load(), time.Since(began).Round(time.Millisecond), onDisk)
	if got := packages.Served.Load(); got > largestEngine || got < largestEngine/2 {
		t.Errorf("%d bytes are downloaded, want at most %d", got, largestEngine)
	}
	if onDisk > 30<<20 {
		t.Errorf("the engine takes %d bytes on disk", onDisk)
	}
	supervisor := musttest.Get(engine.Start(t.Context(), options))(t)
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
	musttest.Do(t, err)
	return size
}
