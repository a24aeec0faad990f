package recall_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// The facts of a file and of a command are found by their cues, until they are removed or
// have other cues.
func TestFilesAndCommandsAreFoundByTheirCues(t *testing.T) {
	x := recall.NewIndex(recall.DefaultWeights())
	put := func(id int, cues ...string) {
		offer(x, memory.Memory{ID: fmt.Sprint(id), Kind: memory.KindConvention, Content: "a fact", Cues: cues, Importance: float64(10-id) / 10})
	}
	put(1, "pkg/export/query.go", "make test")
	put(2, "query.go", "run the query again")
	put(3, "pkg/export/", "cd web && npm test")
	put(4, "docs/export/query.go.md", "make")
	ids := func(hits []memory.Hit) (ids []string) {
		for _, hit := range hits {
			ids = append(ids, hit.Memory.ID)
		}
		return ids
	}
	check := func(name string, hits []memory.Hit, want ...string) {
		t.Helper()
		if got := ids(hits); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	check("a file", x.File("/home/ada/web/pkg/export/query.go"), "1", "2")
	check("a file of that name elsewhere", x.File("/home/ada/web/query.go"), "2")
	check("another file in a folder that is named", x.File("/home/ada/web/pkg/export/rows/new.go"))
	check("a command", x.Commands([]string{"make test"}, ""), "1")
	check("a chain", x.Commands([]string{"make", "npm test"}, ""), "3", "4")
	check("no command", x.Commands([]string{""}, ""))
	put(1, "pkg/import/query.go")
	x.Remove("4")
	check("a file, after a change", x.File("/home/ada/web/pkg/export/query.go"), "2")
	check("commands, after a change", x.Commands([]string{"make", "make test"}, ""))
}
