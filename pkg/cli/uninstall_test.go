//go:build linux

package cli

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
)

func TestOnlyTheProcessesOfAHomeAreItsOwn(t *testing.T) {
	home := paths.Layout{Home: t.TempDir()}
	other := paths.Layout{Home: home.Home + "-other"}
	// start runs a shell that waits under another name, until the test ends.
	start := func(of paths.Layout, name string, args ...string) int {
		cmd := exec.Command("sh", append([]string{"-c", "read -r line"}, args...)...)
		cmd.Args[0] = name
		cmd.Env = []string{"MEMORY_HOME=" + of.Home}
		_, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		musttest.Do(t, err)
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // the error is that it was killed
		})
		return cmd.Process.Pid
	}
	start(home, "sleep")
	start(other, "memoryd")
	start(other, "node", "--secret-file", filepath.Join(other.Run(), "engine.json"))
	want := []int{start(home, "/plugin/libexec/memoryd"), start(home, "memory-mcp"), start(home, "node", "/plugin/engine/server.mjs", "--secret-file", filepath.Join(home.Run(), "engine.json"))}
	got, err := processesOf(home)
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, pid := range got {
		musttest.Do(t, process.End(t.Context(), pid))
	}
	if left, err := processesOf(home); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
