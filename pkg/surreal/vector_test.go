package surreal

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// A vector reveals something of its memory's text, so forgetting the text deletes the vector.
func TestAForgottenMemoryLosesItsVector(t *testing.T) {
	store := openStore(t)
	vectors := NewVectors(store.conn, "small", 2)
	m := memory.Memory{ID: "0123456789abcdef0123456789abcdef", Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote, Status: memory.StatusActive, Content: "somewhere"}
	if err := errors.Join(
		store.Ingest(t.Context(), memory.Batch{Memories: []memory.Memory{m}}), vectors.Prepare(t.Context()),
		vectors.PutVectors(t.Context(), []memory.Vector{{Memory: m.ID, Values: []float32{1, 0}}}),
	); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		status memory.Status
		left   int
	}{{memory.StatusArchived, 1}, {memory.StatusForgotten, 0}} {
		if _, err := store.conn.ExecIdempotent(t.Context(), "UPDATE $id SET status = $status", map[string]any{"id": recordID("memory", m.ID), "status": string(step.status)}); err != nil {
			t.Fatal(err)
		}
		if ids, err := vectors.Vectors(t.Context(), "p"); err != nil || len(ids) != step.left {
			t.Errorf("when it is %s: %v, %v", step.status, ids, err)
		}
	}
}

// Earlier versions could have an index in the store.
func TestAnIndexOfVectorsIsRemoved(t *testing.T) {
	store := openStore(t)
	vectors := NewVectors(store.conn, "small", 4)
	prepare := func() map[string]string {
		t.Helper()
		if err := vectors.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		result, err := store.conn.ExecIdempotent(t.Context(), vectors.sql("INFO FOR TABLE TABLE_NAME"), nil)
		if err != nil {
			t.Fatal(err)
		}
		var info struct {
			Indexes map[string]string `json:"indexes"`
		}
		if err := result.Decode(0, &info); err != nil {
			t.Fatal(err)
		}
		return info.Indexes
	}
	before := prepare()
	if _, err := store.conn.ExecIdempotent(t.Context(), vectors.sql("DEFINE INDEX TABLE_NAME_near ON TABLE_NAME FIELDS vector HNSW DIMENSION 4 DIST COSINE TYPE F32"), nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, prepare()); diff != "" {
		t.Errorf("indexes (-want +got):\n%s", diff)
	}
}

// Models have separate tables, because their dimensions differ.
func TestEachModelHasItsTable(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range []*Vectors{NewVectors(nil, "small", 4), NewVectors(nil, "small", 8), NewVectors(nil, "large", 4)} {
		seen[v.table] = true
	}
	again := NewVectors(nil, "small", 4)
	if len(seen) != 3 || !seen[again.table] {
		t.Errorf("tables: %v", seen)
	}
}
