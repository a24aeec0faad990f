package surreal

import (
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestAMethodIsOneQuery limits the calls of ingest and hooks to one round trip, or two for a batch of
// any size, which reads the rows that it changes. The write has one statement for each kind of
// change.
func TestAMethodIsOneQuery(t *testing.T) {
	var statements []int
	store := openStore(t, func(_ string, results int) { statements = append(statements, results) })
	now := time.Now().UTC()
	batch := func(n int) memory.Batch {
		var b memory.Batch
		for i := range n {
			id := strings.Repeat("0", 31) + string(rune('a'+i))
			b.Sessions = append(b.Sessions, memory.Session{ID: id, Project: "p", State: memory.SessionActive, StartedAt: now, LastEventAt: now})
			b.Memories = append(b.Memories, memory.Memory{
				ID: id, Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote,
				Status: memory.StatusActive, Content: id, Importance: 0.5, CreatedAt: now, LastSeenAt: now,
			})
			b.Sightings = append(b.Sightings, memory.Sighting{ID: id, Memory: id, Session: id, At: now})
			b.Summaries = append(b.Summaries, memory.SessionSummary{Session: id, Summary: memory.Summary{Text: id}})
		}
		return b
	}
	many := batch(20)
	ids := make([]string, len(many.Sessions))
	for i, s := range many.Sessions {
		ids[i] = s.ID
	}
	ctx := t.Context()
	for _, call := range []struct {
		what       string
		do         func() error
		statements []int // of each query
	}{
		{"a batch of one", func() error { return store.Ingest(ctx, batch(1)) }, []int{3, 7}},
		{"a batch of twenty", func() error { return store.Ingest(ctx, many) }, []int{3, 9}},
		{"the same again", func() error { return store.Ingest(ctx, many) }, []int{3, 7}},
		{"sessions", func() error { _, err := store.Sessions(ctx, memory.SessionIDs(ids)); return err }, []int{1}},
		{"records", func() error { _, err := store.Records(ctx, memory.RecordsOf(ids)); return err }, []int{6}},
		{"rows", func() error { _, err := store.Rows(ctx, memory.WithIDs(ids)); return err }, []int{1}},
	} {
		statements = nil
		if err := call.do(); err != nil {
			t.Fatalf("%s: %v", call.what, err)
		}
		musttest.Same(t, call.statements, statements, "%s: the statements of its queries", call.what)
	}
}
