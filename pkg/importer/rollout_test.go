package importer_test

import (
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// codexSessions are transcripts of the real Codex: of version 0.169.0 and of 0.98.0.
var (
	codexSessions = filepath.Join("..", "..", "testdata", "codex", "sessions")
	newSessions   = filepath.Join(codexSessions, "2026", "11", "23")
	oldSessions   = filepath.Join(codexSessions, "2026", "11", "24")
)

// eventsOf are the events of the transcripts in a folder, and how many lines were no JSON.
func eventsOf(t *testing.T, folder string) (events []memory.Event, broken int) {
	t.Helper()
	for _, one := range transcripts(t, folder) {
		where, _ := projectOf(one.Dir)
		some, report, err := one.Events(t.Context(), func(string) (project.Project, bool) { return where, false })
		events = append(events, some...)
		musttest.Is(t, nil, err, "%s: %+v", one.File, report)
		broken += report.Broken
	}
	for _, e := range events {
		musttest.Do(t, e.Validate())
	}
	return events, broken
}
