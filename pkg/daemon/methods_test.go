package daemon_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestEveryMethodIsHandledOnce holds the table of handlers to the methods that
// package daemonapi declares.
func TestEveryMethodIsHandledOnce(t *testing.T) {
	var declared []string
	for _, file := range musttest.Get(filepath.Glob("../rpc/daemonapi/*.go"))(t) {
		declared = append(declared, named(t, file, `\b(Method\w+) += Method\[`)...)
	}
	handled := named(t, "handlers.go", `\bdaemonapi\.(Method\w+)(?:\.Handle\(|, )`)
	slices.Sort(declared)
	slices.Sort(handled)
	if diff := cmp.Diff(declared, handled); diff != "" || len(declared) < 30 {
		t.Errorf("methods (-declared +handled):\n%s", diff)
	}
}

func named(t *testing.T, file, pattern string) []string {
	t.Helper()
	content := musttest.Get(os.ReadFile(file))(t)
	if strings.HasSuffix(file, "_test.go") {
		return nil
	}
	var names []string
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(content), -1) {
		names = append(names, found[1])
	}
	return names
}
