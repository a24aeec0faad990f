package recallset

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// embedBatch texts are asked for at once, as the agent does.
const embedBatch = 64

// Embedder makes vectors of length 1 of texts.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Embeddings is the vectors of a set's memories and queries.
type Embeddings struct {
	// Least is the cosine that is just near enough.
	Least float64

	memories recall.Vectors
	queries  map[string][]float32
}

// EmbedTimes is how long an endpoint took.
type EmbedTimes struct {
	Memories int           `json:"memories"`
	Batches  time.Duration `json:"batches_ns"` // all memories, in batches one after the other
	Queries  int           `json:"queries"`    // each asked for alone
	P50      time.Duration `json:"query_p50_ns"`
	P90      time.Duration `json:"query_p90_ns"`
	P99      time.Duration `json:"query_p99_ns"`
	Worst    time.Duration `json:"query_worst_ns"`
	InTime   int           `json:"in_time"` // queries whose vector was there within Wait
	Wait     time.Duration `json:"wait_ns"`

	times []time.Duration
}

// Embed asks for the vectors of a set: of the memories that the agent would embed, and of
// the queries, as it would. The times are added to the earlier ones.
func (s Set) Embed(ctx context.Context, e Embedder, least float64, times *EmbedTimes) (*Embeddings, error) {
	m := &Embeddings{Least: least, queries: map[string][]float32{}}
	var searchable []recall.Entry
	for i, one := range s.Memories {
		if entry := one.entry(i); entry.Memory.Kind.Searchable() {
			searchable = append(searchable, entry)
		}
	}
	for batch := range slices.Chunk(searchable, embedBatch) {
		if err := m.embedMemories(ctx, e, batch, times); err != nil {
			return nil, fmt.Errorf("embed the memories of %s: %w", s.Name, err)
		}
	}
	for _, q := range s.Queries {
		if !recall.WorthEmbedding(q.Text) || m.queries[q.Text] != nil {
			continue
		}
		start := time.Now()
		vectors, err := e.Embed(ctx, []string{q.Text})
		if err != nil {
			return nil, fmt.Errorf("embed query %s of %s: %w", q.ID, s.Name, err)
		}
		times.times = append(times.times, time.Since(start))
		m.queries[q.Text] = vectors[0]
	}
	return m, nil
}

func (m *Embeddings) embedMemories(ctx context.Context, e Embedder, batch []recall.Entry, times *EmbedTimes) error {
	texts := make([]string, len(batch))
	for i, entry := range batch {
		texts[i] = entry.Memory.Content
	}
	start := time.Now()
	values, err := e.Embed(ctx, texts)
	if err != nil {
		return err
	}
	times.Batches += time.Since(start)
	times.Memories += len(batch)
	vectors := make([]memory.Vector, len(batch))
	for i, entry := range batch {
		vectors[i] = memory.Vector{Memory: entry.Memory.ID, Values: values[i]}
	}
	m.memories.Add(vectors)
	return nil
}

// near are the memories near a query; nothing without vectors.
func (m *Embeddings) near(query string) []recall.Near {
	if m == nil || m.queries[query] == nil {
		return nil
	}
	return recall.NearAtLeast(m.Least, m.memories.Near(m.queries[query], m.Least))
}

// Summarise fills in the figures of the queries' times, where one waits that long.
func (t *EmbedTimes) Summarise(wait time.Duration) {
	slices.Sort(t.times)
	n := len(t.times)
	if n == 0 {
		return
	}
	at := func(percent int) time.Duration { return t.times[min(n-1, n*percent/100)] }
	t.Queries, t.Wait = n, wait
	t.P50, t.P90, t.P99, t.Worst = at(50), at(90), at(99), t.times[n-1]
	t.InTime = n
	if late, _ := slices.BinarySearch(t.times, wait+1); late < n {
		t.InTime = late
	}
}
