//go:build unix

package hooks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// TestAClosedPipeIsNoFailure is about a client that has gone before the answer.
func TestAClosedPipeIsNoFailure(t *testing.T) {
	w := newWorld(t).patient()
	startDaemon(t, w, injected)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = reader.Close()
	defer func() { _ = writer.Close() }()
	cmd := exec.CommandContext(t.Context(), filepath.Join(libexec, "session-start"))
	cmd.Stdin = strings.NewReader(toJSON(t, fields{"session_id": "s-1", "cwd": w.project, "hook_event_name": hookio.SessionStart, "source": "startup"}))
	cmd.Stdout = writer
	for name, value := range w.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if err := cmd.Run(); err != nil {
		t.Errorf("ended with %v, want exit code 0", err)
	}
	w.expect(t, 1, 1)
}
