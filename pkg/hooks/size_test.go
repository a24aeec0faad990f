package hooks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// largestHook is what the largest hook program may have in bytes, stripped, for
// linux/amd64: a new process reads it, and each package that is linked shows in it.
const largestHook = 3_400_000

func TestHookProgramsStaySmall(t *testing.T) {
	program := filepath.Join(t.TempDir(), "post-tool-use") // the largest
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "../../apps/hooks/post-tool-use")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > largestHook {
		t.Errorf("%d bytes, the most is %d: see with go tool nm -size what is linked", info.Size(), largestHook)
	}
}
