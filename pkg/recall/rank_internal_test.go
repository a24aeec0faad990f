package recall

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func TestTheForemostAreThoseThatSortingPutsFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := NewIndex(DefaultWeights())
		of := rapid.SliceOfN(rapid.Uint8Range(0, 7), 1, 200).Draw(t, "scores and times") // many are equal
		all := make([]candidate, len(of))
		for i, one := range of {
			x.docs = append(x.docs, doc{entry: &Entry{Memory: memory.Memory{ID: string(rune('a' + i))}}})
			all[i] = candidate{slot: uint32(i), score: float64(one / 2), at: int64(one % 2)}
		}
		sorted := slices.SortedFunc(slices.Values(all), x.compare)
		n := rapid.IntRange(0, len(all)).Draw(t, "n")
		got := slices.SortedFunc(slices.Values(x.foremost(all, n)), x.compare)
		if !slices.Equal(got, sorted[:n]) {
			t.Fatalf("the foremost %d are %v, want %v", n, got, sorted[:n])
		}
	})
}
