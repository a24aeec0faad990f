package process_test

import (
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
)

func TestAncestorsBeginWithTheParent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows tells none")
	}
	all := process.Ancestors()
	parent, ok := process.Find(os.Getppid())
	if !ok || len(all) == 0 || !slices.Equal(all[0].Args, parent.Args) || slices.ContainsFunc(all, func(p process.Process) bool { return len(p.Args) == 0 || p.Args[0] == "" }) {
		t.Errorf("the ancestors are %+v, and the parent is %+v, %v", all, parent, ok)
	}
}
