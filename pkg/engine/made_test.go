//go:build unix

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
)

func TestTheEngineOfTheDataIsUsed(t *testing.T) {
	installed := t.TempDir()
	copyEngineSources(t, installed)
	installWithFakeNpm(t, installed)
	bare := t.TempDir()
	copyEngineSources(t, bare)
	const node, surreal = "echo v20.0.0", "echo %s for linux"

	tests := []struct {
		name     string
		made     engine.Made
		node     bool
		packages string
		surreal  string // version of the one on the PATH
		gone     bool   // the binary that created the data is missing
		want     string // the choice
		err      string // part of the error
	}{
		{name: "embedded, and a newer binary on the path", made: engine.Made{Kind: engine.Embedded, Version: "3.0.2"}, node: true, packages: installed, surreal: "3.3.5", want: "embedded (SurrealDB 3.0.2, Node 20.0.0)"},
		{name: "embedded, and a binary that writes the same", made: engine.Made{Kind: engine.Embedded, Version: "3.0.2"}, surreal: "3.0.9", want: "binary (SurrealDB 3.0.9)"},
		{name: "embedded is gone, a newer binary is there", made: engine.Made{Kind: engine.Embedded, Version: "3.0.2"}, surreal: "3.3.5", want: "binary (SurrealDB 3.3.5)", err: "has to take it over"},
		{name: "embedded is not installed, a newer binary is there", made: engine.Made{Kind: engine.Embedded, Version: "3.0.2"}, node: true, packages: bare, surreal: "3.3.5", want: "binary (SurrealDB 3.3.5)", err: "has to take it over"},
		{name: "embedded is gone, 4 is there", made: engine.Made{Kind: engine.Embedded, Version: "3.0.2"}, surreal: "4.0.0", want: "binary (SurrealDB 4.0.0)", err: "has to take it over"},
		{name: "embedded is not installed", made: engine.Made{Kind: engine.Embedded, Version: "3.0.2"}, node: true, packages: bare, want: "embedded (SurrealDB 3.0.2, Node 20.0.0)", err: "not installed"},
		{name: "the binary is not on the path", made: engine.Made{Kind: engine.Binary, Version: "3.3.5"}, node: true, packages: installed, want: "binary (SurrealDB 3.3.5)"},
		{name: "the binary is gone", made: engine.Made{Kind: engine.Binary, Version: "3.3.5"}, gone: true, node: true, packages: installed, want: "embedded (SurrealDB 3.0.2, Node 20.0.0)", err: "put surreal 3.3.5 or newer back on the PATH"},
		{name: "the binary is gone, the embedded one is not installed", made: engine.Made{Kind: engine.Binary, Version: "3.3.5"}, gone: true, node: true, packages: bare, want: "embedded (SurrealDB 3.0.2, Node 20.0.0)", err: "memory backup rebuild"},
		{name: "the binary was updated by a fix", made: engine.Made{Kind: engine.Binary, Version: "3.3.5"}, gone: true, surreal: "3.3.9", want: "binary (SurrealDB 3.3.9)"},
		{name: "the binary was updated", made: engine.Made{Kind: engine.Binary, Version: "3.3.5"}, gone: true, surreal: "3.4.0", want: "binary (SurrealDB 3.4.0)", err: "has to take it over"},
		{name: "3.1 and 3.2 write the same", made: engine.Made{Kind: engine.Binary, Version: "3.1.4"}, gone: true, surreal: "3.2.0", want: "binary (SurrealDB 3.2.0)"},
		{name: "nothing is there any more", made: engine.Made{Kind: engine.Embedded, Version: "3.0.2"}, err: "no SurrealDB engine"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path, dir := t.TempDir(), t.TempDir()
			if test.node {
				writeProgram(t, path, "node", node)
			}
			if test.surreal != "" {
				writeProgram(t, path, "surreal", fmt.Sprintf(surreal, test.surreal))
			}
			if test.made.Kind == engine.Binary {
				test.made.Program = filepath.Join(dir, "surreal")
				if !test.gone {
					writeProgram(t, dir, "surreal", fmt.Sprintf(surreal, test.made.Version))
				}
			}
			test.made.Storage = engine.RocksDB
			data := filepath.Join(dir, "data")
			if err := engine.WriteMade(data, test.made); err != nil {
				t.Fatal(err)
			}
			choice, err := engine.Find(t.Context(), engine.Options{
				DataPath: data, Sources: installed, Packages: test.packages, LookPath: lookIn(path), HomeDir: dir,
			})
			if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v, want %q", err, test.err)
			}
			if choice.String() != test.want {
				t.Errorf("chose %s, want %s", choice, test.want)
			}
		})
	}
}

// Data without the record of its engine is refused with what to do, and no data needs none.
func TestDataWithoutANote(t *testing.T) {
	data := t.TempDir()
	if _, found, err := engine.ReadMade(data); err != nil || found {
		t.Errorf("of no data: %v, %v", found, err)
	}
	if err := os.WriteFile(filepath.Join(data, "CURRENT"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := engine.ReadMade(data); err == nil || !strings.Contains(err.Error(), data+".engine.json is missing") || !strings.Contains(err.Error(), "memory restore") {
		t.Errorf("of data without a record: %v", err)
	}
}

// The engine is recorded before it writes to the data, and the manifest names the running SurrealDB.
func TestTheDataIsNoted(t *testing.T) {
	options := localOptions(t)
	supervisor := start(t, options)
	db := connect(t, endpointOf(t, supervisor))
	version, err := db.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	made, found, err := engine.ReadMade(options.DataPath)
	want := engine.Made{Kind: engine.Embedded, Version: strings.TrimPrefix(version.Version, "surrealdb-"), Storage: engine.RocksDB}
	if err != nil || !found || made != want {
		t.Errorf("noted %+v (%v), want %+v", made, err, want)
	}
}

// SurrealDB 4 has no RocksDB.
func TestVersion4KeepsItsDataInSurrealKV(t *testing.T) {
	options := localOptions(t)
	surreal := fakeSurrealOf(t, "4.0.0")
	options.LookPath = lookIn(filepath.Dir(surreal))
	supervisor := start(t, options)
	db := connect(t, endpointOf(t, supervisor))
	query(t, db, "CREATE note:1")
	made, _, err := engine.ReadMade(options.DataPath)
	if err != nil || made.Storage != engine.SurrealKV || made.Program != surreal {
		t.Errorf("noted %+v: %v", made, err)
	}
	if _, err := os.Stat(filepath.Join(options.DataPath, "wal")); err != nil {
		t.Errorf("that is no surrealkv: %v", err)
	}
}

// A missing store is not silently replaced by an empty one.
func TestAMissingStoreIsReported(t *testing.T) {
	options := localOptions(t)
	supervisor := start(t, options)
	query(t, connect(t, endpointOf(t, supervisor)), "CREATE note:1")
	if err := os.RemoveAll(options.DataPath); err != nil {
		t.Fatal(err)
	}
	supervisor.Restart("a test")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := supervisor.Endpoint(ctx); !errors.Is(err, engine.ErrGone) || !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("under the engine: got %v, want %v", err, engine.ErrGone)
	}
	stop(t, supervisor)
	if _, err := engine.Start(t.Context(), options); !errors.Is(err, engine.ErrGone) {
		t.Errorf("before the engine: got %v, want %v", err, engine.ErrGone)
	}
	if err := engine.ForgetMade(options.DataPath); err != nil {
		t.Fatal(err)
	}
	endpointOf(t, start(t, options))
}

func TestADamagedStoreIsReported(t *testing.T) {
	options := localOptions(t)
	supervisor := start(t, options)
	query(t, connect(t, endpointOf(t, supervisor)), "CREATE note:1")
	stop(t, supervisor)
	manifests, err := filepath.Glob(filepath.Join(options.DataPath, "MANIFEST-*"))
	if err != nil || len(manifests) == 0 {
		t.Fatal("no manifest", err)
	}
	if err := os.WriteFile(manifests[0], []byte("this is no manifest, and long enough to be read as one"), 0o600); err != nil {
		t.Fatal(err)
	}
	supervisor = start(t, options)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := supervisor.Endpoint(ctx); !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("got %v, want %v", err, engine.ErrDamaged)
	}
}
