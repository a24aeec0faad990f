package hooks_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// largestHook bounds the bytes of a hook program, stripped, for linux/amd64: a new process reads
// all of it, and each linked package adds to it.
const largestHook = 3_500_000

func TestHookProgramsStaySmall(t *testing.T) {
	if platform := runtime.GOOS + "/" + runtime.GOARCH; platform != "linux/amd64" {
		t.Skipf("the bound is for linux/amd64, and the programs are built for %s", platform)
	}
	programs := musttest.Get(os.ReadDir(libexec))(t)
	for _, program := range programs {
		info := musttest.Get(program.Info())(t)
		if info.Size() > largestHook {
			t.Errorf("%s has %d bytes, the most is %d: build it without -s -w and list its packages with go tool nm -size -sort size", info.Name(), info.Size(), largestHook)
		}
	}
}
