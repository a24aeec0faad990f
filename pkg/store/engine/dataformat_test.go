//go:build unix

package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
)

// Data without the record of its engine is refused with what to do, and no data needs none.
func TestDataWithoutANote(t *testing.T) {
	data := t.TempDir()
	if made, err := engine.ReadDataFormat(data); err != nil || made != "" {
		t.Errorf("of no data: %q, %v", made, err)
	}
	musttest.Do(t, os.WriteFile(filepath.Join(data, "CURRENT"), nil, 0o600))
	if _, err := engine.ReadDataFormat(data); err == nil || !strings.Contains(err.Error(), data+".engine.json is missing") || !strings.Contains(err.Error(), "memory restore") {
		t.Errorf("of data without a record: %v", err)
	}
}

// A missing store is not silently replaced by an empty one.
func TestAMissingStoreIsReported(t *testing.T) {
	options := localOptions(t)
	supervisor := start(t, options)
	query(t, connect(t, endpointOf(t, supervisor)), "CREATE note:1")
	musttest.Do(t, os.RemoveAll(options.DataPath))
	supervisor.Restart("a test")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := supervisor.Endpoint(ctx); !errors.Is(err, engine.ErrGone) || !errors.Is(err, memory.ErrDamaged) {
		t.Errorf("under the engine: got %v, want %v", err, engine.ErrGone)
	}
	stop(t, supervisor)
	musttest.Is(t, engine.ErrGone, musttest.Err(engine.Start(t.Context(), options)), "before the engine")
	musttest.Do(t, engine.RemoveDataFormat(options.DataPath))
	endpointOf(t, start(t, options))
}

// Another version of SurrealDB may write another format: its data is refused, and a rebuild is named.
func TestDataOfAnotherFormatIsRefused(t *testing.T) {
	installed := t.TempDir()
	copyEngineSources(t, installed)
	installWithFakeNpm(t, installed)
	path := t.TempDir()
	writeProgram(t, path, "node", "echo v20.0.0")
	for version, isRefused := range map[string]bool{"3.0.2": false, "3.0.9": false, "2.3.7": true, "3.3.5": true, "4.0.0": true} {
		data := filepath.Join(t.TempDir(), "data")
		musttest.Do(t, engine.WriteDataFormat(data, version))
		_, err := engine.Find(t.Context(), engine.Options{DataPath: data, Sources: installed, Packages: installed, LookPath: lookIn(path)})
		if errors.Is(err, engine.ErrFormat) != isRefused || isRefused && !strings.Contains(err.Error(), version) || !isRefused && err != nil {
			t.Errorf("data of %s: %v", version, err)
		}
	}
}
