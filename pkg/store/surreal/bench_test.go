package surreal

import (
	"fmt"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// benchStore returns a project with n memories.
func benchStore(b *testing.B, n int) *Store {
	b.Helper()
	store := openStore(b)
	now := time.Now().UTC()
	kinds := []memory.Kind{memory.KindFix, memory.KindDiscovery, memory.KindNote, memory.KindConvention}
	for from := 0; from < n; from += 500 {
		var batch memory.Batch
		for i := from; i < min(n, from+500); i++ {
			batch.Memories = append(batch.Memories, memory.Memory{
				ID: fmt.Sprintf("%032x", i), Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic,
				Kind: kinds[i%len(kinds)], Status: memory.StatusActive, Content: fmt.Sprintf("memory %d is about the port of staging", i),
				Importance: 0.5, TokenCount: 10, TokenEncoding: "o200k_base", CreatedAt: now, LastSeenAt: now.Add(time.Duration(i) * time.Second),
			})
		}
		if err := store.Ingest(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	return store
}

// BenchmarkIngest writes batches of events, as a busy session does.
func BenchmarkIngest(b *testing.B) {
	for _, size := range []int{1, 25, 50, 100, 200, 500} {
		b.Run(fmt.Sprint("batch ", size), func(b *testing.B) {
			store := openStore(b)
			now, n := time.Now().UTC(), 0
			for b.Loop() {
				batch := memory.Batch{Sessions: []memory.Session{{
					ID: "s", Project: "p", State: memory.SessionActive, StartedAt: now, LastEventAt: now,
				}}}
				for range size {
					n++
					id := fmt.Sprintf("%032x", n)
					batch.SessionEvents = append(batch.SessionEvents, memory.SessionEvent{
						ID: id, Session: "s", Kind: memory.EventFileChanged, Text: "Edited a.go: x became y " + id, Files: []string{"a.go"}, At: now,
					})
				}
				if err := store.Ingest(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(size)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
