//go:build unix

package cli

import (
	"bytes"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestAnInterruptionEndsWhatWaitsForInput: a text that never ends, of which the program has read a part.
func TestAnInterruptionEndsWhatWaitsForInput(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "memory-process", "remember", "-")
	cmd.Env = append(cmd.Environ(), "MEMORY_HOME="+t.TempDir())
	var problem bytes.Buffer
	cmd.Stderr = &problem
	input := musttest.Get(cmd.StdinPipe())(t)
	musttest.Do(t, cmd.Start())
	musttest.Get(input.Write(make([]byte, 200<<10)))(t) // more than a pipe holds: it reads
	musttest.Do(t, cmd.Process.Signal(syscall.SIGINT))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the exit code has the result
	}()
	select {
	case <-ended:
		if code := cmd.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(problem.String(), "interrupted") {
			t.Errorf("it ended with %d: %s", code, &problem)
		}
	case <-time.After(20 * time.Second):
		_ = cmd.Process.Kill()
		<-ended
		t.Error("it waits for the rest of its input")
	}
}
