package main

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/workload"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/surrealtest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

func TestMain(m *testing.M) { os.Exit(enginetest.Wrap(m).Run()) }

type oneEach struct{}

func (oneEach) Count(string) int { return 1 }
func (oneEach) Encoding() string { return "none" }

// allRows are the rows of a store by table and id, as JSON would show them.
type allRows map[string]map[string]map[any]any

func (allRows) Begin(memory.Contents) error { return nil }

func (all allRows) Row(table string, row []byte) error {
	if all[table] == nil {
		all[table] = map[string]map[any]any{}
	}
	var fields copiedRow
	if err := cbor.Unmarshal(row, &fields); err != nil {
		return err
	}
	delete(fields, "changed_at") // the server's clock
	plain := map[any]any{}
	for name, raw := range fields {
		var value any
		if err := cbor.Unmarshal(raw, &value); err != nil {
			return err
		}
		plain[name] = value
	}
	all[table][idOf(fields["id"])] = plain
	return nil
}

func rowsOf(t *testing.T, store *surreal.Store) allRows {
	t.Helper()
	all := allRows{}
	if err := store.CopyOut(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestACopyIsWhatIngestWrites ingests a project and copies it; another store ingests the
// events of both. Both hold the same rows then.
func TestACopyIsWhatIngestWrites(t *testing.T) {
	events := slices.Collect(workload.Events(workload.Spec{
		Seed: 3, Until: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), Measured: memory.Project{Key: "measured", Name: "measured", Root: "/measured"},
		Memories: 20, Store: 320, Others: 1,
	}))
	copied, ingested := onlyStore(surrealtest.Open(t)), onlyStore(surrealtest.Open(t))
	both := slices.Clone(events)
	for _, e := range events {
		if e.Project.Key == workload.Other(1).Key {
			e.Project, e.Dir = workload.Other(2), workload.Other(2).Root
			e.ID += "-1"
			e.Session += "-1"
			both = append(both, e)
		}
	}
	for store, its := range map[*surreal.Store][]memory.Event{copied: events, ingested: both} {
		for chunk := range slices.Chunk(its, 100) { // one call with all of them takes a busy machine too long
			if err := store.Ingest(t.Context(), ingest.Batch(chunk, oneEach{})); err != nil {
				t.Fatal(err)
			}
		}
	}
	copier, err := newProjectCopier(t.Context(), copied, workload.Other(1).Key)
	if err != nil {
		t.Fatal(err)
	}
	if copier.memories() < 250 {
		t.Fatalf("%d memories would be copied, of 300", copier.memories())
	}
	if err := copier.write(t.Context(), copied, workload.Other(2), 1, 100); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rowsOf(t, ingested), rowsOf(t, copied)); diff != "" {
		t.Errorf("what ingest writes, and the copy (+):\n%.4000s", diff)
	}
}

func onlyStore(store *surreal.Store, _ wire.Options) *surreal.Store { return store }
