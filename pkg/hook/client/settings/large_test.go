package settings_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/settings"
)

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
