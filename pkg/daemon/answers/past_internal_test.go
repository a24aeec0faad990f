package answers

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// Events say in which folder a file was changed. When they are deleted, a session keeps the names of its files.
func TestAFileIsChangedByItsPathOrItsNameAlone(t *testing.T) {
	withEvents := memory.SessionRecord{SessionEvents: []memory.SessionEvent{{Kind: memory.EventFileChanged, Files: []string{"pkg/export.go"}}, {Kind: memory.EventToolUsed, Files: []string{"pkg/read.go"}}}}
	withEvents.Session.Summary.Digest.FilesModified = []string{"export.go"}
	nameAlone := memory.SessionRecord{Session: withEvents.Session}
	for _, c := range []struct {
		file             string
		byEvents, byName bool
	}{
		{"export.go", true, true},
		{"pkg/export.go", true, true},
		{"cmd/export.go", false, true},
		{"port.go", false, false},
		{"pkg/read.go", false, false},
	} {
		musttest.Same(t, c.byEvents, hasChanged(withEvents, c.file), "%s, with events (-want +got)", c.file)
		musttest.Same(t, c.byName, hasChanged(nameAlone, c.file), "%s, by names alone (-want +got)", c.file)
	}
}
