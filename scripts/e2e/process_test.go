package e2e

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// helperVariable makes the test program a child that waits for its stdin to close, and does nothing else.
const helperVariable = "E2E_TEST_HELPER"

func startHelper(t *testing.T, value string) (*exec.Cmd, io.Closer) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelperProcess$")
	child.Env = []string{helperVariable + "=" + value}
	stdin := musttest.Get(child.StdinPipe())(t)
	musttest.Do(t, child.Start())
	return child, stdin
}

func TestHelperProcess(t *testing.T) {
	if os.Getenv(helperVariable) == "" {
		t.Skip("only does something as a child of another test")
	}
	musttest.Get(io.Copy(io.Discard, os.Stdin))(t)
}

func TestProcessIsSeenUntilItEnds(t *testing.T) {
	if !hasProc() {
		t.Skip("there is no /proc to look into")
	}
	mine := t.TempDir()
	child, stdin := startHelper(t, mine)
	pid := child.Process.Pid
	variable := helperVariable + "=" + mine

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if left := awaitGone(ctx, func() []int { return []int{pid, pid} }); !slices.Equal(left, []int{pid}) {
		t.Errorf("still running are %v, want only %d", left, pid)
	}
	if got := processesWith("NOT="+mine, variable); !slices.Equal(got, []int{pid}) {
		t.Errorf("processes with %s are %v, want %d", variable, got, pid)
	}
	if got := describe(pid); !strings.Contains(got, "TestHelperProcess") {
		t.Errorf("the process is described as %q", got)
	}

	musttest.Do(t, stdin.Close())
	// Nobody has waited for the child yet, so it stays as a zombie: that counts as gone.
	if left := awaitGone(t.Context(), func() []int { return []int{pid} }); left != nil {
		t.Errorf("still running are %v", left)
	}
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
	if alive(pid) {
		t.Errorf("process %d is alive after it was waited for", pid)
	}
}

func TestNoClientIsInstalledHere(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := ClientBinary(); !errors.Is(err, ErrNoClient) {
		t.Errorf("error is %v, want %v", err, ErrNoClient)
	}
}
