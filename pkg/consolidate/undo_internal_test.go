package consolidate

import (
	"reflect"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// No obstacle of an undo has the name of a stored field that is no word.
func TestAnObstacleIsSaidInWords(t *testing.T) {
	for field := range reflect.TypeFor[memory.State]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if said := changedSince(name); strings.Contains(said, "_") || strings.Contains(said, "content") {
			t.Errorf("of %s an undo says %q", name, said)
		}
	}
}
