package book

import (
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestDecadesBetweenStatementsBecomeNanoseconds: the clock of one of two statements said 1970, and another one had been ahead.
func TestDecadesBetweenStatementsBecomeNanoseconds(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	known, old := now.Add(5*time.Minute), time.Unix(1, 0).UTC()
	b := memory.Batch{Received: now, Memories: []memory.Memory{{ID: "new", CreatedAt: now, LastSeenAt: now}, {ID: "old", CreatedAt: old, LastSeenAt: old}}}
	got := inOrder(b, memory.Rows{Jobs: map[string]memory.JobState{clock: {Slot: known}}}).Memories
	musttest.Same(t, []time.Time{known.Add(2), old}, []time.Time{got[0].LastSeenAt, got[1].LastSeenAt}, "dated")
}
