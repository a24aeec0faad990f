package settings_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/settings"
)

// An object of 200,000 members is read in the time of its bytes: with a search for each name in those before it this test takes
// a minute.
func TestALargeFileIsReadOnce(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"first":1`)
	for i := range 200_000 {
		_, _ = fmt.Fprintf(&text, `,"member number %d":%d`, i, i)
	}
	text.WriteString("}")
	object, err := settings.ParseObject([]byte(text.String()))
	if err != nil || len(object) != 200_001 {
		t.Fatalf("%d members, %v", len(object), err)
	}
	if _, err := settings.ParseObject([]byte(text.String()[:text.Len()-1] + `,"first":2}`)); err == nil {
		t.Error("a name that is there twice was not found")
	}
}

// Codex notes for each folder whether it is trusted: 70,000 tables are 5 MB. Reading all of them takes minutes.
func TestALargeFileOfTablesIsReadInPart(t *testing.T) {
	var text bytes.Buffer
	for i := range 70_000 {
		_, _ = fmt.Fprintf(&text, "[projects.\"/home/dev/projects/of/some/team/number-%d\"]\ntrust_level = \"trusted\"\n\n", i)
	}
	table := settings.Table{Path: []string{"mcp_servers", "ours"}, Body: "command = \"x\"\n", IsOurs: func(command string) bool { return command == "x" }}
	added, err := table.Add(text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if has, err := table.Has(added); err != nil || !has {
		t.Errorf("it is there: %v, %v", has, err)
	}
	left, err := table.Remove(added)
	if err != nil || !bytes.Equal(left, text.Bytes()) {
		t.Errorf("%d bytes of %d are left, %v", len(left), text.Len(), err)
	}
}
