package answers

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The page of connections drew branches, hosts and alternatives as files.
func TestConnectionsNameFilesOnly(t *testing.T) {
	stated := memory.Memory{Source: memory.SourceUser, Fingerprints: map[string]string{"bin/serve": "x"}}
	for name, want := range map[string]bool{
		"cmd/api/main.go": true, "store.go": true, "Makefile": true, "deploy/.env.example": true, "bin/serve": true, "web/app.module.css": true,
		"origin/main": false, "and/or": false, "example.com": false, "github.com/a/b": false, "v1.2": false, "http://x.dev/a.html": false,
		"handlers/": false, "go test ./x.go": false, "**/*.go": false,
	} {
		if got := isFile(stated, name); got != want {
			t.Errorf("%s is a file: %v", name, got)
		}
	}
	if !isFile(memory.Memory{Source: memory.SourceTool}, "bin/deploy") {
		t.Error("a tool has changed bin/deploy, so it is a file")
	}
}
