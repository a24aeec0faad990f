package surreal

import (
	"fmt"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// BenchmarkIngest writes batches of events, as a busy session does.
func BenchmarkIngest(b *testing.B) {
	for _, size := range []int{1, 25, 50, 100, 200, 500} {
		b.Run(fmt.Sprint("batch ", size), func(b *testing.B) {
			store := openStore(b)
			now, n := time.Now().UTC(), 0
			for b.Loop() {
				batch := memory.Batch{Sessions: []memory.Session{{ID: "s", Project: "p", State: memory.SessionActive, StartedAt: now, LastEventAt: now}}}
				for range size {
					n++
					id := fmt.Sprintf("%032x", n)
					batch.SessionEvents = append(batch.SessionEvents, memory.SessionEvent{
						ID: id, Session: "s", Kind: memory.EventFileChanged, Text: "Edited a.go: x became y " + id, Files: []string{"a.go"}, At: now,
					})
				}
				musttest.Do(b, store.Ingest(b.Context(), batch))
			}
			b.ReportMetric(float64(size)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
