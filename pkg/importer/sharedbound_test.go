package importer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// A folder of 2,000 files as large as they may be is read up to a total, and a file that stays as it is costs nothing the next time.
func TestADenseFolderIsReadOnceAndInPart(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, importer.SharedFolder)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		_, content := importer.SharedFact{
			Kind: memory.KindConvention, Content: fmt.Sprint("fact ", i, strings.Repeat(" a=b", 900)), Author: "anna", At: time.Date(2026, 11, 12, 9, 0, 0, 0, time.UTC),
		}.Encode()
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.md", i)), append(content, make([]byte, importer.MaxSharedBytes-len(content))...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var reader importer.SharedReader
	first, err := reader.Folder(root)
	if err != nil || len(first) == 0 || len(first) > 400 {
		t.Fatalf("%d files, %v", len(first), err)
	}
	if last := first[len(first)-1]; last.Refused == nil || !strings.Contains(last.Refused.Error(), "left out") {
		t.Errorf("the last is %+v", last)
	}
	allocated := testing.AllocsPerRun(1, func() {
		if again, err := reader.Folder(root); err != nil || len(again) != len(first) {
			t.Errorf("the second time %d files, %v", len(again), err)
		}
	})
	if once := testing.AllocsPerRun(1, func() { _, _ = importer.ReadSharedFolder(root) }); allocated > 0.7*once {
		t.Errorf("the second time it makes %.0f allocations, the first time %.0f", allocated, once)
	}
	changed := filepath.Join(dir, "0000.md")
	if err := os.WriteFile(changed, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	after, err := reader.Folder(root)
	if err != nil || len(after) != len(first)-1 && len(after) != len(first) {
		t.Errorf("after a change %d files, %v", len(after), err)
	}
}
