package storetest

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const vectorDimension = 4

// conformVectors checks the store of the vectors of an empty store's memories.
func conformVectors(t *testing.T, store Store, vectors memory.VectorStore) {
	for range 2 { // repeating it changes nothing
		if err := vectors.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	batch := memory.Batch{Projects: []memory.Project{{Key: "p", Name: "p", SeenAt: noon}, {Key: "q", Name: "q", SeenAt: noon}}}
	var all []memory.Vector
	for i, project := range []string{"p", "p", "q", ""} {
		m := note(project, string(rune('a'+i))+" is somewhere", minute(i))
		if project == "" {
			m.Scope = memory.ScopeUser
			m.ID = memory.NewID(m.Scope, "", m.Content)
		}
		batch.Memories = append(batch.Memories, m)
		angle := float64(i) * math.Pi / 8
		all = append(all, memory.Vector{Memory: m.ID, Values: []float32{float32(math.Cos(angle)), float32(math.Sin(angle)), 0, 0}})
	}
	ingest(t, store, batch)
	nobody := memory.Vector{Memory: "00000000000000000000000000000000", Values: []float32{1, 0, 0, 0}}
	for range 2 {
		if err := vectors.PutVectors(t.Context(), append(slices.Clone(all), nobody)); err != nil {
			t.Fatal(err)
		}
	}
	if err := vectors.PutVectors(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	with := func(project string, places ...int) {
		t.Helper()
		got, err := vectors.Vectors(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		expected := []memory.Vector{}
		for _, i := range places {
			expected = append(expected, all[i])
		}
		byMemory := cmpopts.SortSlices(func(a, b memory.Vector) bool { return a.Memory < b.Memory })
		if diff := cmp.Diff(expected, got, byMemory); diff != "" {
			t.Errorf("with a vector in %q (-want +got):\n%s", project, diff)
		}
	}
	with("p", 0, 1, 3)
	with("q", 2, 3)
	if _, err := store.MergeProjects(t.Context(), "q", "p"); err != nil {
		t.Fatal(err)
	}
	with("p", 0, 1, 2, 3)
	if _, err := store.Purge(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	with("p")
}
