package hooks_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

var (
	namedTest = regexp.MustCompile("`(Test\\w+)`")
	testFunc  = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// TestEveryClaimHasItsTest holds docs/security.md and docs/promises.md to the tests that they name.
func TestEveryClaimHasItsTest(t *testing.T) {
	there := map[string]bool{}
	for _, dir := range []string{"apps", "pkg", "scripts"} {
		err := filepath.WalkDir(filepath.Join(repository, dir), func(file string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			if !strings.HasSuffix(file, "_test.go") {
				return nil
			}
			text, err := os.ReadFile(file)
			for _, found := range testFunc.FindAllStringSubmatch(string(text), -1) {
				there[found[1]] = true
			}
			return err
		})
		musttest.Do(t, err)
	}
	for _, page := range []string{"security.md", "promises.md"} {
		for line := range strings.Lines(readFile(t, filepath.Join(repository, "docs", page))) {
			named := namedTest.FindAllStringSubmatch(line, -1)
			if isClaim := strings.HasPrefix(line, "| ") && strings.Count(line, "|") == 3 && !strings.HasPrefix(line, "| claim |"); isClaim && len(named) == 0 {
				t.Errorf("%s: no test is named for: %s", page, line)
			}
			for _, name := range named {
				if !there[name[1]] {
					t.Errorf("there is no test %s, which docs/%s names", name[1], page)
				}
			}
		}
	}
}
