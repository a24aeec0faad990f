package schema_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

// TestEveryDefinitionIsFound counts them in the files once more.
func TestEveryDefinitionIsFound(t *testing.T) {
	all, err := schema.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(schema.FS, "*.surql")
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, file := range files {
		text, err := fs.ReadFile(schema.FS, file)
		if err != nil {
			t.Fatal(err)
		}
		want += strings.Count("\n"+string(text), "\nDEFINE ")
	}
	if len(all) != want {
		t.Errorf("found %d definitions, the files have %d", len(all), want)
	}
	for _, d := range all {
		if strings.Count(d.SQL, "DEFINE ") != 1 || (d.Table == "") == (d.Kind == "FIELD" || d.Kind == "INDEX" || d.Kind == "EVENT") {
			t.Errorf("read %+v", d)
		}
	}
}
