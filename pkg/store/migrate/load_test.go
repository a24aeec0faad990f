package migrate

import (
	"testing"
	"testing/fstest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// files builds a file system from pairs of name and content.
func files(pairs ...string) fstest.MapFS {
	dir := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		dir[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return dir
}

func TestLoad(t *testing.T) {
	const one, two = "CREATE a;\nCREATE b;", "CREATE c"
	got := musttest.Get(Load(files("0002_two.surql", two, "0001_one.surql", one, "embed.go", "package x")))(t)
	if len(got) != 2 || got[0].Version != 1 || got[0].Name != "one" || got[0].SQL != one || got[1].File != "0002_two.surql" ||
		got[0].SHA256 == got[1].SHA256 {
		t.Errorf("got %+v", got)
	}
	if got, err := Load(files()); err != nil || len(got) != 0 {
		t.Errorf("an empty directory: %v, %v", got, err)
	}
	musttest.Says(t, "1_a.surql: not a migration's name", musttest.Err(Load(files("1_a.surql", "CREATE x"))), "a wrong name")
}
