package recall

import (
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The derived data of an index is compared as well, not only the memories.
func TestADamagedIndexIsReported(t *testing.T) {
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	var entries []Entry
	for _, id := range []string{"a", "b", "c"} {
		entries = append(entries, Entry{Memory: memory.Memory{
			ID: id, Content: "the staging database of pkg/a.go and " + id, CreatedAt: at, LastSeenAt: at,
		}})
	}
	for difference, damage := range map[string]func(x *Index){
		"its terms":                   func(x *Index) { x.terms["databas"][logged][1].count++ },
		"its files, commands or work": func(x *Index) { clear(x.keys) },
		"its length or cues":          func(x *Index) { x.docs[0].length++ },
	} {
		x := NewIndex(DefaultWeights())
		for _, e := range entries {
			x.Put(e)
		}
		if found := x.Differences(entries); len(found) > 0 {
			t.Fatalf("before the damage: %v", found)
		}
		damage(x)
		if found := x.Differences(entries); len(found) == 0 || !strings.Contains(found[0].Problem, difference) {
			t.Errorf("%s: %v", difference, found)
		}
	}
}
