package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// TestASecretIsNotShared, even where an older version has stored one: the command names the
// file and the kind, and writes nothing.
func TestASecretIsNotShared(t *testing.T) {
	const secret = "ghp_0J7kQx2vTn5cWm9RzYb3LsDh6PfGa1Eu8iVo"
	root := t.TempDir()
	for _, args := range [][]string{{"init", "--quiet"}, {"config", "user.name", "anna"}, {"config", "user.email", "anna@example.org"}} {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", root}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git %v: %v: %s", args, err, out)
		}
	}
	x := newUser(t)
	x.agent(t, []agentapi.Handler{
		agentapi.MethodStatus.Handle(func(context.Context, agentapi.None) (agentapi.StatusResult, error) {
			return agentapi.StatusResult{State: "ready"}, nil
		}),
		agentapi.MethodGet.Handle(func(_ context.Context, p agentapi.GetParams) ([]memory.Memory, error) {
			m := memory.Memory{ID: p.IDs[0] + strings.Repeat("0", 26), Project: p.Project, Scope: memory.ScopeProject, Kind: memory.KindConvention, Status: memory.StatusActive, Source: memory.SourceUser}
			m.Content = "tests go beside their code"
			if p.IDs[0] == "bbbbbb" {
				m.Content = "deploy with " + secret
			}
			return []memory.Memory{m}, nil
		}),
	})
	code, stdout, stderr := x.runUntil(t.Context(), t, "share", "--project", root, "aaaaaa", "bbbbbb")
	if code != exitUsage || !strings.Contains(stderr, importer.SharedFolder+"/") || !strings.Contains(stderr, "bbbbbb") || !strings.Contains(stderr, "(") || strings.Contains(stdout+stderr, secret) {
		t.Errorf("exit code %d, %q and %q", code, stdout, stderr)
	}
	if _, err := os.Stat(filepath.Join(root, importer.SharedFolder)); err == nil {
		t.Error("something was written")
	}
	if code, _, stderr := x.runUntil(t.Context(), t, "share", "--project", root, "aaaaaa"); code != exitOK {
		t.Fatalf("exit code %d and %q", code, stderr)
	}
	// A link in the place of the folder is not followed.
	elsewhere := t.TempDir()
	if err := os.RemoveAll(filepath.Join(root, importer.SharedFolder)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(root, importer.SharedFolder)); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = x.runUntil(t.Context(), t, "share", "--project", root, "aaaaaa")
	left, err := os.ReadDir(elsewhere)
	if code != exitUsage || !strings.Contains(stderr, "is no folder, and links are not followed") || err != nil || len(left) > 0 {
		t.Errorf("exit code %d and %q; the link leads to %v, %v", code, stderr, left, err)
	}
}
