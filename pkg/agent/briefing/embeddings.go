package briefing

import (
	"context"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

const (
	// embedBatch is the most texts of one request, embedBytes the most bytes of each:
	// models read only some hundred words of a text.
	embedBatch = 64
	embedBytes = 2000
	// embedTime bounds one batch. embedPause is how long a failed endpoint is not asked
	// again, so that queries do not wait for it each time.
	embedTime  = 30 * time.Second
	embedPause = time.Minute
	// The share of the time until a caller's deadline that its vector may take. The
	// rest is for the results of the words.
	nearShare = 0.6
)

// Near returns the memories near a text by embedding, the nearest first; none if
// embeddings are off, if the endpoint failed recently, or if the vector does not arrive
// in time.
func (b *Briefing) Near(ctx context.Context, project, text string) []recall.Near {
	if b.Embedder == nil || !recall.WorthEmbedding(text) {
		return nil
	}
	set := b.embeddings.set(project, b.Now())
	if set == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, b.nearTime(ctx))
	defer cancel()
	found, err := b.findNear(ctx, set, text)
	if err != nil {
		if ctx.Err() == nil { // a slow endpoint may be fast next time
			b.pauseEmbedding(err)
		}
		return nil
	}
	return recall.NearAtLeast(b.Embeddings.Similarity, found)
}

// nearTime is how long a query waits for its vector.
func (b *Briefing) nearTime(ctx context.Context) time.Duration {
	wait := b.Embeddings.Wait
	if deadline, bounded := ctx.Deadline(); bounded {
		wait = min(wait, time.Duration(nearShare*float64(time.Until(deadline))))
	}
	return wait
}

func (b *Briefing) findNear(ctx context.Context, set *recall.Vectors, text string) ([]memory.Near, error) {
	text = memory.Cut(text, embedBytes)
	if b.Clean != nil {
		text = b.Clean(text)
	}
	vectors, err := b.Embedder.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return set.Near(vectors[0], b.Embeddings.Similarity), nil
}

func (b *Briefing) pauseEmbedding(err error) {
	b.embeddings.mu.Lock()
	defer b.embeddings.mu.Unlock()
	b.embeddings.paused = b.Now().Add(embedPause)
	b.Log.Warn("embeddings cannot be had; words alone decide", "error", err, "next try in", embedPause)
}

// Embed makes the missing vectors of the projects whose indexes are loaded. If the
// endpoint fails, the rest waits for the next call. One call runs at a time; another
// returns at once.
func (b *Briefing) Embed(ctx context.Context) {
	if b.Embedder == nil || !b.embeddings.running.TryLock() {
		return
	}
	defer b.embeddings.running.Unlock()
	b.embeddings.mu.Lock()
	paused := b.Now().Before(b.embeddings.paused)
	b.embeddings.mu.Unlock()
	if paused {
		return
	}
	if err := b.embedAll(ctx); err != nil && ctx.Err() == nil {
		b.pauseEmbedding(err)
	}
}

func (b *Briefing) embedAll(ctx context.Context) error {
	if err := b.prepareVectors(ctx); err != nil {
		return err
	}
	loaded := b.indexes.all()
	b.embeddings.keep(loaded)
	for project, entry := range loaded {
		index := entry.held()
		if index == nil {
			continue
		}
		set, err := b.vectorSet(ctx, project)
		if err != nil {
			return err
		}
		if err := b.embedMissing(ctx, set, index); err != nil {
			return err
		}
	}
	return nil
}

func (b *Briefing) prepareVectors(ctx context.Context) error {
	b.embeddings.mu.Lock()
	prepared := b.embeddings.prepared
	b.embeddings.mu.Unlock()
	if prepared {
		return nil
	}
	if err := b.Vectors.Prepare(ctx); err != nil {
		return err
	}
	b.embeddings.mu.Lock()
	defer b.embeddings.mu.Unlock()
	b.embeddings.prepared = true
	return nil
}

// VectorCount is the number of vectors held; those of the user's memories count once
// for each project.
func (b *Briefing) VectorCount() int {
	b.embeddings.mu.Lock()
	defer b.embeddings.mu.Unlock()
	n := 0
	for _, set := range b.embeddings.sets {
		n += set.Len()
	}
	return n
}

// vectorSet returns the vectors of a project, and loads them first if needed.
func (b *Briefing) vectorSet(ctx context.Context, project string) (*recall.Vectors, error) {
	b.embeddings.mu.Lock()
	set := b.embeddings.sets[project]
	b.embeddings.mu.Unlock()
	if set != nil {
		return set, nil
	}
	stored, err := b.Vectors.Vectors(ctx, project)
	if err != nil {
		return nil, err
	}
	set = &recall.Vectors{}
	set.Add(stored)
	b.embeddings.mu.Lock()
	defer b.embeddings.mu.Unlock()
	b.embeddings.sets[project] = set
	return set, nil
}

// embedMissing embeds memories with searchable words. Edits and commands have none:
// they are found by their files.
func (b *Briefing) embedMissing(ctx context.Context, set *recall.Vectors, index *recall.Index) error {
	var missing []memory.Memory
	for _, m := range index.Memories() {
		if m.Kind.Searchable() && !set.Has(m.ID) {
			missing = append(missing, m)
		}
	}
	for batch := range slices.Chunk(missing, embedBatch) {
		if err := b.embedOne(ctx, set, batch); err != nil {
			return err
		}
	}
	return nil
}

func (b *Briefing) embedOne(ctx context.Context, set *recall.Vectors, batch []memory.Memory) error {
	ctx, cancel := context.WithTimeout(ctx, embedTime)
	defer cancel()
	texts := make([]string, len(batch))
	for i, m := range batch {
		texts[i] = memory.Cut(m.Content, embedBytes)
	}
	values, err := b.Embedder.Embed(ctx, texts)
	if err != nil {
		return err
	}
	vectors := make([]memory.Vector, len(batch))
	for i, m := range batch {
		vectors[i] = memory.Vector{Memory: m.ID, Values: values[i]}
	}
	if err := b.Vectors.PutVectors(ctx, vectors); err != nil {
		return err
	}
	set.Add(vectors)
	return nil
}
