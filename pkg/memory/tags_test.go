package memory_test

import (
	"slices"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestTagsAreTheSameInAnySpelling: a memory is found by a tag, and loses it, in any case of
// letters, even if an import stored the tag in upper case.
func TestTagsAreTheSameInAnySpelling(t *testing.T) {
	m := memory.Memory{ID: "m1", Content: "tides are kept in UTC", Status: memory.StatusActive, Tags: []string{"db", "Gezeiten  Übersicht"}}
	for tag, want := range map[string]bool{"db": true, "DB": true, " Db ": true, "gezeiten übersicht": true, "GEZEITEN ÜBERSICHT": true, "d": false, "": false, "gezeiten": false} {
		musttest.Same(t, want, m.HasTag(tag), "%q is a tag of it", tag)
	}
	after, err := memory.Change{At: time.Now(), By: "cli", RemoveTags: []string{"gezeiten übersicht"}}.Apply(m)
	if err != nil || !slices.Equal(after.Tags, []string{"db"}) {
		t.Errorf("after the tag was removed there are %q, %v", after.Tags, err)
	}
}
