package memory_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// TestKindsAreSearchableOrRecords: every kind is in exactly one of the two lists.
func TestKindsAreSearchableOrRecords(t *testing.T) {
	for _, kind := range memory.SearchableKinds() {
		if !kind.Searchable() {
			t.Errorf("%s is listed as searchable", kind)
		}
	}
	for _, kind := range memory.RecordKinds() {
		if kind.Searchable() {
			t.Errorf("%s is listed as a record", kind)
		}
	}
	if all := len(memory.SearchableKinds()) + len(memory.RecordKinds()); all != 14 {
		t.Errorf("there are %d kinds; list a new one where it belongs, and count it here", all)
	}
}
