package project_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestNamedFilesAreOfTheProject, however they are written.
func TestNamedFilesAreOfTheProject(t *testing.T) {
	t.Setenv("HOME", "/home/dev")
	p := project.Project{Root: "/home/dev/p", Dir: "/home/dev/p"}
	for written, want := range map[string]string{
		"cmd/a.go": "cmd/a.go", "./cmd/a.go": "cmd/a.go", "/home/dev/p/cmd/a.go": "cmd/a.go", "file:///home/dev/p/cmd/a.go": "cmd/a.go",
		"FILE://localhost/home/dev/p/cmd/a.go": "cmd/a.go", "cmd/a.go:42": "cmd/a.go", "cmd/a.go:42:7": "cmd/a.go", "cmd/a.go:42-60": "cmd/a.go",
		"cmd/a.go#L42-L60": "cmd/a.go", "file:///home/dev/p/my%20notes/a.md": "my notes/a.md", "cmd/../cmd/a.go": "cmd/a.go", " cmd/a.go ": "cmd/a.go",
		"~/p/cmd/a.go:3": "cmd/a.go", "~/q/a.go": "/home/dev/q/a.go", `cmd\sub\a.go`: "cmd/sub/a.go", `.\cmd\a.go:7`: "cmd/a.go", "`cmd/a.go`": "cmd/a.go", `"cmd/a.go:42"`: "cmd/a.go", "<file:///home/dev/p/cmd/a.go>": "cmd/a.go",
		`C:\x\a.go`: `C:\x\a.go`, "~b/a.go": "~b/a.go", "file:/home/dev/p/cmd/a.go": "cmd/a.go", "vscode://file/home/dev/p/cmd/a.go:3:1": "cmd/a.go", "cmd/a.go(12,3)": "cmd/a.go", "cmd/a.go(7)": "cmd/a.go", "app/(group)/page.tsx": "app/(group)/page.tsx",
		"/etc/hosts": "/etc/hosts", "a:b.txt": "a:b.txt", "issue#L": "issue#L", "100%.txt": "100%.txt",
	} {
		musttest.Same(t, want, p.Named(written), "%q", written)
	}
}
