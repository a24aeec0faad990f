package walkthroughs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestAWrongWalkthroughFails is about the test above: each of these must not pass.
func TestAWrongWalkthroughFails(t *testing.T) {
	tree := t.TempDir()
	musttest.Do(t, os.WriteFile(filepath.Join(tree, "a.txt"), []byte("one\ntwo\ntwo\n"), 0o600))
	for name, b := range map[string]block{
		"a command fails":         {"sh", []string{"false", "true"}},
		"a line is not there":     {"diff", []string{"--- a.txt", "-three", "+four"}},
		"a line is there twice":   {"diff", []string{"--- a.txt", "-two", "+three"}},
		"a file is not there":     {"diff", []string{"--- b.txt", "-one", "+two"}},
		"a block is of no kind":   {"go", []string{"x"}},
		"no line gives the place": {"diff", []string{"--- a.txt", "+three"}},
	} {
		if err := follow(t, tree, b); err == nil {
			t.Errorf("%s: it passes", name)
		}
	}
	if err := follow(t, tree, block{"diff", []string{"--- a.txt", " one", "+and", " two"}}); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(filepath.Join(tree, "a.txt")); err != nil || string(data) != "one\nand\ntwo\ntwo\n" {
		t.Errorf("the file is %q, %v", data, err)
	}
}

func TestSectionsAreRead(t *testing.T) {
	got := sections("# x\n\n```sh\nno\n```\n\n## Walk-throughs\n\n### A\n\ntext\n\n```sh\none\n### two\n```\n\n### B\n\n```diff\n--- f\n```\n\n## End\n\n```sh\nno\n```\n")
	if len(got) != 2 || got[0].name != "A" || strings.Join(got[0].blocks[0].lines, "|") != "one|### two" || got[1].blocks[0].language != "diff" {
		t.Errorf("read %+v", got)
	}
}
