package ingest_test

import (
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func TestOnlyTheUsersPreferencesReachEveryProject(t *testing.T) {
	t.Parallel()
	for isUsers, want := range map[bool]memory.Scope{true: memory.ScopeUser, false: memory.ScopeProject} {
		now := time.Now().UTC()
		e := memory.Event{
			ID: memory.NewEventID(now), At: now, Kind: memory.EventRemembered, Session: "s",
			Project:        memory.Project{Key: "p", Name: "p", Root: "/p"},
			RememberedKind: memory.KindPreference, Text: "Answers are short.", ByUser: isUsers,
		}
		batch := ingest.Batch([]memory.Event{e}, counter(t))
		if len(batch.Memories) != 1 || batch.Memories[0].Scope != want {
			t.Errorf("a preference, the user's: %t, became %+v, want the scope %s", isUsers, batch.Memories, want)
		}
	}
}
