package cli

import (
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// TestAFolderThatDoesNotAnswerIsOff lists a project on a file system that hangs.
func TestAFolderThatDoesNotAnswerIsOff(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "hung")
	daemontest.Hang(t, dir)
	e := &environment{Paths: paths.Layout{Home: t.TempDir()}}
	if !e.IsOff(project.Project{Key: "p", Root: dir}) || e.IsOff(project.Project{Key: "q", Root: t.TempDir()}) {
		t.Error("want the project whose folder hangs off, and the other one on")
	}
}
