package surreal

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// benchStore has a project of n memories: mostly edits, commands and failures,
// as sessions leave them, and a fifth of what somebody asked to be kept.
func benchStore(b *testing.B, n int) *Store {
	b.Helper()
	store := openStore(b)
	now := time.Now().UTC()
	kinds := []memory.Kind{
		memory.KindEdit, memory.KindEdit, memory.KindEdit, memory.KindCommand, memory.KindCommand, memory.KindFailure,
		memory.KindObservation, memory.KindObservation, memory.KindNote, memory.KindConvention,
	}
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

func BenchmarkStartContext(b *testing.B) {
	store := benchStore(b, 10_000)
	for _, limit := range []int{10, 40, 200} {
		b.Run(fmt.Sprint("limit ", limit), func(b *testing.B) {
			for b.Loop() {
				if _, err := store.StartContext(b.Context(), memory.StartQuery{Project: "p", Session: "s", Limit: limit}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkIngest writes batches of new memories, as a busy session does.
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
					batch.Memories = append(batch.Memories, memory.Memory{
						ID: id, Project: "p", Scope: memory.ScopeSession, Type: memory.TypeEpisodic, Kind: memory.KindEdit,
						Status: memory.StatusActive, Content: "Edited a.go: x became y " + id, Importance: 0.3, CreatedAt: now, LastSeenAt: now,
					})
					batch.Sightings = append(batch.Sightings, memory.Sighting{ID: id, Memory: id, Session: "s", At: now})
				}
				if err := store.Ingest(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(size)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkNear asks the vector index of 10,000 vectors of 384 numbers, a tenth of
// them the project's: as Near does, with the project as a condition, and without the
// index.
func BenchmarkNear(b *testing.B) {
	const n, dimension, centres = 10_000, 384, 50
	store := openStore(b)
	random := rand.New(rand.NewPCG(1, 1))
	centre := make([][]float32, centres) // texts gather around topics
	for i := range centre {
		centre[i] = noise(random, make([]float32, dimension), 1)
	}
	vectors := NewVectors(store.conn, "bench", dimension, true)
	if err := vectors.Prepare(b.Context()); err != nil {
		b.Fatal(err)
	}
	for from := 0; from < n; from += 250 {
		var batch memory.Batch
		var values []memory.Vector
		for i := from; i < from+250; i++ {
			project := "other"
			if i%10 == 0 {
				project = "p"
			}
			m := memory.Memory{
				ID: fmt.Sprintf("%032x", i), Project: project, Scope: memory.ScopeProject, Type: memory.TypeSemantic,
				Kind: memory.KindNote, Status: memory.StatusActive, Content: fmt.Sprint("memory ", i),
			}
			batch.Memories = append(batch.Memories, m)
			values = append(values, memory.Vector{Memory: m.ID, Values: noise(random, centre[random.IntN(centres)], 0.8)})
		}
		if err := errors.Join(store.Ingest(b.Context(), batch), vectors.PutVectors(b.Context(), values)); err != nil {
			b.Fatal(err)
		}
	}
	query := map[string]any{"vector": noise(random, centre[0], 0.8)}
	for name, sql := range map[string]string{
		"index":                      nearVectorsSQL,
		"index with the project":     "SELECT id FROM TABLE_NAME WHERE project = 'p' AND vector <|10,40|> $vector",
		"every one of the project's": "SELECT id, vector::similarity::cosine(vector, $vector) AS s FROM TABLE_NAME WHERE project = 'p' ORDER BY s DESC LIMIT 10",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := store.conn.exec(b.Context(), vectors.sql(sql), query); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func noise(random *rand.Rand, around []float32, much float32) []float32 {
	v := make([]float32, len(around))
	for i := range v {
		v[i] = around[i] + much*(random.Float32()-0.5)
	}
	return v
}
